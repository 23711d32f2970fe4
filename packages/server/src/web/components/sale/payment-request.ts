import { formatZec, type Zat } from '../../../domain/money.ts'
import { amountClass, formatZecAmount } from '../../format.ts'
import { type Html, html } from '../../html.ts'
import { plain, say } from '../../text/dashboard.ts'
import { copyButton } from '../copyable.ts'
import { qrCode } from './qr-code.ts'

/** A ZIP 321 payment request as a QR code and as a link that opens a wallet. */
export function walletLink(uri: string): Html {
  return html`<a class="qr-link" href="${uri}">${qrCode(uri, plain('qr_request_label'))}</a>
    <p><a class="button primary full" href="${uri}">${say('pay_open_wallet')}</a></p>`
}

/** The amount and the address of a payment in ZEC, with copy buttons. @param amountZat null: the buyer chooses it */
export function manualPayment(amountZat: Zat | null, address: string): Html {
  return html`<dl class="facts stacked">
      ${amountZat !== null && exactAmount(amountZat)}
      <div><dt>${say('pay_address')}</dt><dd><code>${address}</code> ${copyButton(address, plain('the_address'))}</dd></div>
    </dl>`
}

function exactAmount(amountZat: Zat): Html {
  const amount = formatZecAmount(amountZat)
  return html`<div><dt>${say('pay_amount')}</dt><dd><code class="${amountClass(amount)}">${amount}</code> ${copyButton(formatZec(amountZat), plain('the_amount'))}</dd></div>`
}
