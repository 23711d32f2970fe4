import type { Invoice } from '../../../domain/sale/invoice.ts'
import { chainName } from '../../../domain/sale/swap-asset.ts'
import type { Swap } from '../../../ports/repository/sale/swap.ts'
import { timeElement } from '../../format.ts'
import { type Html, html } from '../../html.ts'
import { textIn } from '../../text/text.ts'
import { copyable } from '../copyable.ts'
import { definitionList } from '../definition-list.ts'
import { livePart } from '../live.ts'
import { depositRows, hasEndedUnpaid, PROVIDER } from './swap-notice.ts'
import { amountIn } from './swap-state.ts'

/** Shown on the merchant's invoice page: the swap, which can start while the page is open. */
export function swapCard(invoice: Invoice, swap: Swap | undefined): Html {
  return livePart('swap', html`${swap && swapSection(invoice, swap)}`)
}

function swapSection(invoice: Invoice, swap: Swap): Html {
  const text = textIn('en')
  const { depositMemo, deposit } = swap
  return html`
    <section class="card" aria-labelledby="swap-title"><h2 id="swap-title">Swap</h2>
      ${definitionList([
        ['Status', html`<span class="code">${swap.status}</span>${merchantHint(invoice, swap)}`],
        ['Provider', PROVIDER.name],
        ['Asset', html`${amountIn(text, swap, swap.amountIn)} on ${chainName(swap.blockchain)}`],
        ...depositRows(text, swap),
        ...(deposit.txid === null
          ? []
          : [['Deposit transaction', copyable(deposit.txid, 'the transaction ID')] as const]),
        ['Deposit address', copyable(swap.depositAddress, 'the deposit address')],
        ...(depositMemo === null ? [] : [['Memo', copyable(depositMemo, 'the memo')] as const]),
        ['Refund address', html`<code>${swap.refundTo}</code>`],
        ['Deposit deadline', timeElement(swap.deadline)],
      ])}
    </section>`
}

function merchantHint(invoice: Invoice, swap: Swap): Html | false {
  const { status, needsAttention } = swap
  if (hasEndedUnpaid(swap))
    return html`<p class="hint">The deposit has not paid this invoice. You have nothing to refund: the provider ${status === 'FAILED' ? 'still has to send' : 'has sent'} it back. If the buyer misses it, ask the provider, with the deposit address.</p>`
  if (!needsAttention || invoice.dueZat === 0n) return false
  return html`<p class="hint">Unchanged for an hour, and no payment has arrived. Ask the provider, with the deposit address.</p>`
}
