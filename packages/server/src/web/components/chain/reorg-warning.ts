import { formatCount } from '../../../domain/count.ts'
import { formatWaitingTime } from '../../../domain/sale/confirmation-time.ts'
import type { Invoice } from '../../../domain/sale/invoice.ts'
import { type RemovedPayments, removedPaymentsCause } from '../../../domain/sale/removed-payments.ts'
import { formatZecAmount, shorten, timeElement } from '../../format.ts'
import { type Child, type Html, html } from '../../html.ts'
import { plain, say } from '../../text/dashboard.ts'
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
  const cause = removedPaymentsCause([invoice])
  return html`<section class="card attention" aria-labelledby="reorged" data-recheck>
    <h2 id="reorged">${say('reorged')}</h2>
    <p>${since === null ? say('reorged_text', { cause }) : say('reorged_since', { cause, time: timeElement(since) })} ${say('reorged_amount', { amount: formatZecAmount(removed.removedZat), whole: formatZecAmount(invoice.amountZat) })}</p>
    <ul>
      <li>${say('reorged_hold')}</li>
      ${nextSteps(view)}
    </ul>
  </section>`
}

function nextSteps({ invoice, removed, tip, spacingSecs, watched }: ReorgView): Child {
  const payAgain = watched
    ? say('reorged_pay_again_watched', {
        amount: formatZecAmount(removed.removedZat),
        link: '/invoices/new',
        time: timeElement(invoice.watchUntil),
      })
    : say('reorged_pay_again', { amount: formatZecAmount(removed.removedZat), link: '/invoices/new' })
  const { minableUntil } = removed
  if (minableUntil === null) return html`<li>${say('reorged_gone', { advice: payAgain })}</li>`
  return html`<li>${say('reorged_usually', { spacing: spacingSecs })}</li>
      <li>${
        minableUntil === 'any height'
          ? say('reorged_no_expiry', { advice: payAgain })
          : say('reorged_until', {
              height: minableUntil,
              time: formatWaitingTime((minableUntil - tip) * spacingSecs),
              advice: payAgain,
            })
      }</li>`
}

/** On the overview: paid invoices with removed payments. @param total number of invoices, listed or not, counted up to `MAX_COUNT` and one */
export function reorgedInvoices(listed: readonly Invoice[], total: number): AttentionItem {
  const items = listed.map(
    ({ publicId, amountZat }) =>
      html`<li><a class="code" href="/invoices/${publicId}">${shorten(publicId, 8, 0)}</a> · ${formatZecAmount(amountZat)}</li>`,
  )
  return {
    what: plain('reorged_many', { count: formatCount(total) }),
    advice: plain('reorged_many_advice', { cause: removedPaymentsCause(listed) }),
    link: { href: '/invoices?status=attention', label: plain('reorged_view') },
    newest: newestList(items, total, '/invoices?status=attention'),
  }
}
