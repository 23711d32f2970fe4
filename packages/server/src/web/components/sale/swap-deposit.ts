import { formatUnits } from '../../../domain/money.ts'
import { depositUri } from '../../../domain/sale/deposit-uri.ts'
import { chainName, feeCents } from '../../../domain/sale/swap-asset.ts'
import type { Swap } from '../../../ports/repository/sale/swap.ts'
import { amountClass } from '../../format.ts'
import { booleanAttribute, type Child, type Html, html } from '../../html.ts'
import type { MessageName } from '../../text/catalog.ts'
import type { Text } from '../../text/text.ts'
import { copyIn } from '../buyer/copy.ts'
import { qrCode } from './qr-code.ts'
import { amountIn, restOfDeposit } from './swap-state.ts'

/** Where and how much to deposit: the memo if there is one, else the code; then the same as text. */
export function depositRequest(text: Text, swap: Swap): Html {
  const { status, decimals, symbol, blockchain, depositAddress, depositMemo } = swap
  // The total, copied after a part of it has arrived, would be paid on top of that.
  const rest = restOfDeposit(swap)
  const plain = formatUnits(rest ?? swap.amountIn, decimals)
  const shown = `${plain} ${symbol}`
  const isPending = status === 'PENDING_DEPOSIT'
  const names = { asset: symbol, chain: chainName(blockchain) }
  const facts = [
    rest !== null && fact(text, 'swap_received', amountIn(text, swap, swap.amountIn - rest)),
    row(
      text.say(rest === null ? 'exact_amount' : 'swap_missing'),
      html`<code dir="ltr" class="${amountClass(shown)}">${shown}</code> ${copyIn(text, plain, 'copy_amount')}`,
    ),
    row(
      text.say('address'),
      html`<code dir="ltr">${depositAddress}</code> ${copyIn(text, depositAddress, 'copy_address')}`,
    ),
    fee(text, swap),
    fact(text, 'swap_refund_address', html`<code dir="ltr">${swap.refundTo}</code>`),
  ]
  const byHand = html`<div class="pay-by-hand"><dl class="facts stacked">${facts}</dl></div>`
  const updates = html`<p class="hint pay-updates">${text.say(isPending ? 'swap_send' : 'swap_small')}</p>`
  const warning = html`<p>${text.say('swap_only', names)}</p>`
  if (depositMemo !== null)
    return html`<div class="pay-memo"${booleanAttribute('data-while-open', isPending)}>${memo(text, depositMemo)}${warning}${byHand}<p class="hint">${text.say('swap_memo_no_code')}</p>${updates}</div>`
  const uri = depositUri(swap, rest ?? swap.amountIn)
  const picture = qrCode(uri ?? depositAddress, text.plain('swap_qr'))
  return html`<div class="pay"${booleanAttribute('data-while-open', isPending)}><div class="pay-about">${warning}</div>
    ${uri !== null && html`<div class="pay-button"><a class="button primary full" href="${uri}">${text.say('open_wallet')}</a></div>`}
    <div class="pay-code"><input type="checkbox" id="show-qr" class="unseen"><label for="show-qr" class="button full">${text.say('show_qr')}</label>
      <div class="code-box">${uri === null ? html`<div class="qr-link">${picture}</div>` : html`<a class="qr-link" href="${uri}">${picture}</a>`}<p class="hint center">${text.say('swap_scan', names)}${uri === null && html`<br>${text.say('swap_scan_address')}`}</p></div></div>
    ${byHand}${updates}</div>`
}

function memo(text: Text, value: string): Html {
  return html`<section class="card memo" aria-labelledby="memo"><h2 id="memo">${text.say('swap_memo')}</h2>
    <p class="memo-value"><code dir="ltr">${value}</code> ${copyIn(text, value, 'copy_memo')}</p><p>${text.say('swap_memo_needed')}</p></section>`
}

function fee(text: Text, { amountInUsd, amountOutUsd }: Swap): Html | false {
  const cents = feeCents(amountInUsd, amountOutUsd)
  return cents !== null && fact(text, 'swap_fee', `≈ ${text.money(formatCents(cents), 'USD')}`)
}

function formatCents(cents: bigint): string {
  return `${cents / 100n}.${String(cents % 100n).padStart(2, '0')}`
}

/** The deposit's transaction, once the provider reports it. */
function depositTransaction(text: Text, { deposit: { txid } }: Swap): Html | false {
  if (txid === null) return false
  return row(text.say('swap_transaction'), html`<code dir="ltr">${txid}</code> ${copyIn(text, txid, 'copy_txid')}`)
}

/** The amount, deposit, refund address and transaction of a swap that waits for nothing from the buyer. */
export function depositFacts(text: Text, swap: Swap): Html {
  return html`<div class="pay-by-hand"><dl class="facts stacked">${depositTransaction(text, swap)}${fact(text, 'swap_refund_address', html`<code dir="ltr">${swap.refundTo}</code>`)}</dl></div>`
}

function fact(text: Text, name: MessageName, value: Child): Html {
  return row(text.say(name), value)
}

function row(term: Child, value: Child): Html {
  return html`<div><dt>${term}</dt><dd>${value}</dd></div>`
}
