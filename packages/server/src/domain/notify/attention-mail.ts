import { formatCount, formatRest } from '../count.ts'
import type { Zat } from '../money.ts'
import { formatZec } from '../money.ts'
import { removedPaymentsCause } from '../sale/removed-payments.ts'
import { formatUtcMinute } from '../time.ts'

/**
 * The mail about paid invoices whose payments were removed by a reorganisation.
 *
 * - `delaySecs`: after most reorganisations the payments are in the next block or two. With a block every 75 s, or every
 *   25 s from NU7 on, these cause no mail.
 * - `intervalSecs`: the minimum time between two such mails to one account. Later changes wait for the next mail.
 * - `listed`: the maximum number of invoices that a mail lists. The others are only counted.
 */
export const ATTENTION_MAIL = { delaySecs: 120, intervalSecs: 3_600, maxListed: 10 } as const

/**
 * When the next mail to an account is due. A `lastSentAt` in the future, written by a wrong clock, counts as `now`.
 *
 * @param now Unix seconds
 * @param lastSentAt Unix seconds; null: never sent
 */
export function attentionMailDueAt(now: number, lastSentAt: number | null): number {
  const due = now + ATTENTION_MAIL.delaySecs
  return lastSentAt === null ? due : Math.max(due, Math.min(lastSentAt, now) + ATTENTION_MAIL.intervalSecs)
}

export interface ListedInvoice {
  readonly publicId: string
  readonly amountZat: Zat
  readonly confirmations: number
  /** Unix seconds. */
  readonly paidAt: number | null
}

/**
 * @param listed the newest invoices that need attention, up to `ATTENTION_MAIL.listed`
 * @param total number of all invoices that need attention, counted up to `MAX_COUNT` and one
 * @param dashboardUrl URL of the dashboard, without a trailing slash
 */
export function attentionMailText(
  listed: readonly ListedInvoice[],
  total: number,
  dashboardUrl: string,
): { readonly subject: string; readonly text: string } {
  const count = `${formatCount(total)} paid ${total === 1 ? 'invoice' : 'invoices'}`
  const rest = formatRest(total, listed.length)
  const lines = listed.map(({ publicId, amountZat, paidAt }) => {
    const paid = paidAt === null ? '' : `, paid ${formatUtcMinute(paidAt)}`
    return `- ${formatZec(amountZat)} ZEC${paid}: ${dashboardUrl}/invoices/${publicId}`
  })
  if (rest !== '') lines.push(`${rest}: ${dashboardUrl}/invoices?status=attention`)
  return {
    subject: `zatgate: payments of ${count} are missing`,
    text: [
      `Payments of ${count} in your zatgate account are missing: ${removedPaymentsCause(listed)}.`,
      '',
      ...lines,
      '',
      'What to do:',
      '- Hold the goods if you still can. The invoices stay "paid", but their money is missing at the moment.',
      '- Wait a while. Usually the payments are mined again within minutes, and the dashboard then no longer lists the invoices.',
      '- If an invoice still needs attention later, open its page. It shows until when its payment can be mined. After that, ask the buyer to pay again.',
    ].join('\n'),
  }
}
