import { formatZec, type Zat } from '../../../domain/money.ts'
import { amountClass, formatZecAmount } from '../../format.ts'
import { type Html, html } from '../../html.ts'
import { copyButton } from '../copyable.ts'
import { qrCode } from './qr-code.ts'

/** A ZIP 321 payment request as a QR code and as a link that opens a wallet. */
export function walletLink(uri: string): Html {
  return html`<a class="qr-link" href="${uri}">${qrCode(uri, 'Payment request as a QR code')}</a>
    <p><a class="button primary full" href="${uri}">Open in your wallet</a></p>`
}

/** The amount and the address of a payment in ZEC, with copy buttons. */
export function manualPayment(amountZat: Zat, address: string): Html {
  const amount = formatZecAmount(amountZat)
  return html`<dl class="facts stacked">
      <div><dt>Exact amount</dt><dd><code class="${amountClass(amount)}">${amount}</code> ${copyButton(formatZec(amountZat), 'the amount')}</dd></div>
      <div><dt>To this address</dt><dd><code>${address}</code> ${copyButton(address, 'the address')}</dd></div>
    </dl>`
}
