import { causeOfLoss } from './missing-payments.ts'
import type { Zat } from './money.ts'
import { decimalZec } from './payment-uri.ts'
import { utcMinute } from './time.ts'

/**
 * The mail about paid invoices whose payments a reorganisation took back.
 *
 * - `delaySecs`: most reorganisations put the payments into the next block or two. With a block every 75 s, or every
 *   25 s from NU7 on, nobody is mailed about those.
 * - `intervalSecs`: an account gets at most one such mail in this time. What comes in between waits for the next one.
 * - `listed`: invoices that a mail names; the others are counted.
 */
export const ATTENTION_MAIL = { delaySecs: 120, intervalSecs: 3_600, listed: 10 } as const

/**
 * When the next mail to an account is due. A `lastSentAt` in the future, written under a wrong clock, counts as `now`.
 *
 * @param now Unix seconds
 * @param lastSentAt Unix seconds; null: never
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
 * @param total all that need attention, those listed included
 * @param dashboardUrl where the dashboard is, without a slash at its end
 */
export function attentionMailText(
  listed: readonly ListedInvoice[],
  total: number,
  dashboardUrl: string,
): { readonly subject: string; readonly text: string } {
  const count = `${total.toLocaleString('en-US')} paid ${total === 1 ? 'invoice' : 'invoices'}`
  const rest = total - listed.length
  const lines = listed.map(({ publicId, amountZat, paidAt }) => {
    const paid = paidAt === null ? '' : `, paid ${utcMinute(paidAt)}`
    return `- ${decimalZec(amountZat)} ZEC${paid}: ${dashboardUrl}/invoices/${publicId}`
  })
  if (rest > 0) lines.push(`and ${rest.toLocaleString('en-US')} more: ${dashboardUrl}/invoices?status=attention`)
  return {
    subject: `zatgate: payments of ${count} are missing`,
    text: [
      `Payments of ${count} in your zatgate account are missing: ${causeOfLoss(listed)}.`,
      '',
      ...lines,
      '',
      'What to do:',
      '- Hold the goods if you still can. The invoices stay "paid", but their money is missing at the moment.',
      '- Wait a while. Usually the payments are mined again within minutes, and the dashboard then stops naming the invoices.',
      '- If an invoice still needs attention later, open its page. It says up to when its payment can be mined. After that, ask the buyer to pay again.',
    ].join('\n'),
  }
}
