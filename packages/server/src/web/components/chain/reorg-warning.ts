import { formatCount } from '../../../domain/count.ts'
import { formatWaitingTime } from '../../../domain/sale/confirmation-time.ts'
import type { Invoice } from '../../../domain/sale/invoice.ts'
import { type RemovedPayments, removedPaymentsCause } from '../../../domain/sale/removed-payments.ts'
import { formatZecAmount, groupThousands, shorten, timeElement } from '../../format.ts'
import { type Child, type Html, html } from '../../html.ts'
import { type AttentionItem, newestList } from '../attention.ts'

interface ReorgView {
  readonly invoice: Invoice
  readonly removed: RemovedPayments
  /** Height of the last synced block. */
  readonly tip: number
  /** Current block spacing in seconds. */
  readonly spacingSecs: number
  /** The address is still watched, so a further payment counts. */
  readonly watched: boolean
}

/** Shown on a paid invoice whose payments were removed by a reorganisation: what happened and what to do. */
export function reorgWarning(view: ReorgView): Html {
  const { invoice, removed } = view
  const { attentionSince: since } = invoice
  return html`<section class="card attention" aria-labelledby="reorged" data-recheck>
    <h2 id="reorged">Payments are missing</h2>
    <p>Payments of this invoice are missing${since !== null && html` since ${timeElement(since)}`}: ${removedPaymentsCause([invoice])}. ${formatZecAmount(removed.removedZat)} of ${formatZecAmount(invoice.amountZat)} is missing. The invoice stays <b>paid</b>.</p>
    <ul>
      <li>Hold the goods if you still can.</li>
      ${nextSteps(view)}
    </ul>
  </section>`
}

function nextSteps({ invoice, removed, tip, spacingSecs, watched }: ReorgView): Child {
  const payAgain = html`ask the buyer to pay ${formatZecAmount(removed.removedZat)} again: by <a href="/invoices/new">a new invoice</a>${watched && html`, or to this invoice’s address, where it counts until ${timeElement(invoice.watchUntil)}`}`
  const { minableUntil } = removed
  if (minableUntil === null) return html`<li>They can no longer be mined: ${payAgain}.</li>`
  return html`<li>Usually they are mined again within a few blocks. A block is mined about every ${spacingSecs} seconds. This notice then disappears.</li>
      <li>${
        minableUntil === 'any height'
          ? html`Their transactions never expire. If it takes too long, ${payAgain}.`
          : html`They can be mined up to block ${groupThousands(minableUntil)}, ${formatWaitingTime((minableUntil - tip) * spacingSecs)} from now. If they are not mined by then, ${payAgain}.`
      }</li>`
}

/** On the overview: paid invoices with removed payments. @param total number of invoices, listed or not, counted up to `MAX_COUNT` and one */
export function reorgedInvoices(listed: readonly Invoice[], total: number): AttentionItem {
  const items = listed.map(
    ({ publicId, amountZat }) =>
      html`<li><a class="code" href="/invoices/${publicId}">${shorten(publicId, 8, 0)}</a> · ${formatZecAmount(amountZat)}</li>`,
  )
  return {
    what: html`Payments of ${formatCount(total)} ${total === 1 ? 'paid invoice' : 'paid invoices'} are missing:`,
    advice: `${removedPaymentsCause(listed)}. Hold the goods if you still can. Usually the payments are mined again within minutes; if not, the invoice’s page says what to do.`,
    link: { href: '/invoices?status=attention', label: 'View missing' },
    newest: newestList(items, total, '/invoices?status=attention'),
  }
}
