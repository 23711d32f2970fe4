import { formatZec, type Zat } from '../../../domain/money.ts'
import { amountClass, shorten } from '../../format.ts'
import { type Html, html } from '../../html.ts'
import type { Text } from '../../text/text.ts'
import { qrCode } from '../sale/qr-code.ts'
import { copyIn } from './copy.ts'
import { plainZec } from './sum.ts'

interface PaymentRequest {
  /** ZIP 321. */
  readonly uri: string
  readonly address: string
  /** Null: the buyer chooses it. */
  readonly amountZat: Zat | null
}

/**
 * A payment request: on a phone the wallet's button leads and the code is behind a switch, on a wide page the code stands
 * to the side. Below both, the same by hand.
 */
export function paymentRequestParts(text: Text, { uri, address, amountZat }: PaymentRequest): Html {
  return html`<div class="pay-button"><a class="button primary full" href="${uri}">${text.say('open_wallet')}</a></div>
    <div class="pay-code"><input type="checkbox" id="show-qr" class="unseen"><label for="show-qr" class="button full">${text.say('show_qr')}</label>
      <div class="code-box"><a class="qr-link" href="${uri}">${qrCode(uri, text.plain('qr_request'))}</a><p class="hint center">${text.say('scan')}</p></div></div>
    <div class="pay-by-hand"><h2>${text.say('by_hand')}</h2>
      <dl class="facts stacked">
        ${amountZat !== null && exactAmount(text, amountZat)}
        <div><dt>${text.say('address')}</dt><dd>${foldedAddress(address)} ${copyIn(text, address, 'copy_address')}</dd></div>
      </dl>${walletHelp(text)}</div>`
}

function exactAmount(text: Text, amountZat: Zat): Html {
  const amount = plainZec(amountZat)
  return html`<div><dt>${text.say('exact_amount')}</dt><dd><code dir="ltr" class="${amountClass(amount)}">${amount}</code> ${copyIn(text, formatZec(amountZat), 'copy_amount')}</dd></div>`
}

/** An address in one line, cut in the middle. It opens to the whole. */
function foldedAddress(address: string): Html {
  return html`<details class="folded"><summary><code dir="ltr">${shorten(address, 10, 6)}</code></summary><code dir="ltr">${address}</code></details>`
}

/** Wallets whose makers document payment requests and the current network upgrade (docs/wallets.md). */
const WALLETS = ['Zodl', 'Zingo!', 'Edge', 'Zkool'] as const

function walletHelp(text: Text): Html {
  const items = WALLETS.map(wallet => html`<li><bdi>${wallet}</bdi></li>`)
  return html`<details class="wallets"><summary>${text.say('no_wallet')}</summary><p>${text.say('no_wallet_text')}</p><ul class="plain-list">${items}</ul><p>${text.say('no_wallet_then')}</p></details>`
}
