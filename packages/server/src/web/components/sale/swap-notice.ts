import { type Invoice, isClosed } from '../../../domain/sale/invoice.ts'
import { chainName } from '../../../domain/sale/swap-asset.ts'
import type { Swap } from '../../../ports/repository/sale/swap.ts'
import { type Child, type Html, html } from '../../html.ts'
import type { Text } from '../../text/text.ts'
import { copyIn } from '../buyer/copy.ts'
import { definitionList } from '../definition-list.ts'
import { amountIn, SWAP_STATES } from './swap-state.ts'

/** The swap provider's name and site, for buyers and merchants who ask it about a deposit. */
export const PROVIDER = { name: '1Click (NEAR Intents)', site: 'https://near-intents.org' } as const

/** Reasons that say nothing. */
const NO_REASON = 'UNKNOWN'

/** Whether a swap has ended without paying: the buyer can pay again. */
export function hasEndedUnpaid({ status }: Pick<Swap, 'status'>): boolean {
  return status === 'REFUNDED' || status === 'FAILED'
}

/** The outcome of a deposit and whom to ask about it: above everything else on the checkout page in ZEC. */
export function swapNotice(text: Text, invoice: Invoice, swap: Swap, now: number): Html | false {
  const meaning = meaningOf(text, invoice, swap, now)
  if (!meaning) return false
  const { title } = SWAP_STATES[swap.status]
  const kind = swap.status === 'FAILED' ? ' failed' : swap.status === 'REFUNDED' ? '' : ' attention'
  const code = (value: string, label: 'copy_address' | 'copy_memo' | 'copy_txid') =>
    html`<span class="copyable"><code dir="ltr">${value}</code> ${copyIn(text, value, label)}</span>`
  const { depositMemo, deposit, depositAddress, refundTo } = swap
  return html`<section class="card${kind} swap-notice" aria-labelledby="swap-outcome">
    <h2 id="swap-outcome" data-announce>${text.say(swap.status === 'PENDING_DEPOSIT' ? 'swap_none_title' : title)}</h2>
    <p>${meaning}</p>
    ${definitionList([
      [
        text.plain('exact_amount'),
        text.say('swap_on', { asset: amountIn(text, swap, swap.amountIn), chain: chainName(swap.blockchain) }),
      ],
      ...depositRows(text, swap),
      ...(deposit.txid === null ? [] : [[text.plain('swap_transaction'), code(deposit.txid, 'copy_txid')] as const]),
      [text.plain('swap_refund_address'), html`<code dir="ltr">${refundTo}</code>`],
      [text.plain('swap_deposit_address'), code(depositAddress, 'copy_address')],
      ...(depositMemo === null ? [] : [[text.plain('swap_memo'), code(depositMemo, 'copy_memo')] as const]),
      [text.plain('swap_provider'), providerLink()],
    ])}
    <p class="hint">${text.say('swap_whom')}</p>
  </section>`
}

function providerLink(): Html {
  return html`<a href="${PROVIDER.site}" target="_blank" rel="noopener noreferrer">${PROVIDER.name}</a>`
}

/** Null while the swap has its own page, and when it has paid the invoice. */
function meaningOf(text: Text, invoice: Invoice, swap: Swap, now: number): Html | null {
  const { status, dueZat, markedAs } = invoice
  const meaning = text.say(SWAP_STATES[swap.status].text)
  switch (swap.status) {
    case 'REFUNDED':
    case 'FAILED':
      return meaning
    case 'PENDING_DEPOSIT':
      return now < swap.deadline || dueZat === 0n ? null : text.say('swap_over')
    case 'SUCCESS':
      return isClosed(status) && dueZat > 0n ? text.say('swap_unpaid') : null
    case 'INCOMPLETE_DEPOSIT':
      return isClosed(status) || markedAs !== null ? text.say('swap_small_over') : null
    default:
      return isClosed(status) ? html`${meaning} ${text.say('swap_not_again')}` : null
  }
}

/** The rows of the deposit, as the provider reports it. */
export function depositRows(text: Text, swap: Swap): (readonly [string, Child])[] {
  const { deposited, refunded, refundReason } = swap.deposit
  const amount = (value: bigint) => html`<bdi>${amountIn(text, swap, value)}</bdi>`
  const rows: (readonly [string, Child])[] = []
  if (deposited !== null) rows.push([text.plain('swap_deposited'), amount(deposited)])
  if (refunded !== null && refunded !== 0n) rows.push([text.plain('swap_sent_back'), amount(refunded)])
  if (refundReason !== null && refundReason !== NO_REASON)
    rows.push([
      text.plain('swap_reason'),
      // Others are shown as the provider writes them.
      refundReason === 'PARTIAL_DEPOSIT' ? text.say('swap_too_small') : html`<code dir="ltr">${refundReason}</code>`,
    ])
  return rows
}
