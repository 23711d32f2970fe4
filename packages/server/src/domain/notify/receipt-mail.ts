import { withoutUnprintable } from '../text.ts'

/**
 * The limits of mails with receipts. Anyone with the link to a paid invoice can send them, to any address.
 *
 * - `perAccount`: within `accountSecs`
 * - `repeatSecs`: the same receipt goes to the same address once in this time after it was sent
 */
export const RECEIPT_MAILS = { perInvoice: 3, perAccount: 100, accountSecs: 3_600, repeatSecs: 60 } as const

const MAX_SUBJECT_CHARS = 200
/** Some ten times as long as a usual receipt. */
const MAX_TEXT_CHARS = 8_000

/** The mails with receipts that were queued so far: of the invoice, and of its account within `accountSecs`. */
export interface QueuedReceipts {
  readonly ofInvoice: number
  readonly ofAccount: number
}

/** The limit that a further mail would exceed. Null: it can be sent. */
export function usedReceiptLimit({ ofInvoice, ofAccount }: QueuedReceipts): 'invoice_limit' | 'account_limit' | null {
  if (ofInvoice >= RECEIPT_MAILS.perInvoice) return 'invoice_limit'
  return ofAccount >= RECEIPT_MAILS.perAccount ? 'account_limit' : null
}

/** A subject on one line, and a text, both of a bounded length: parts of them come from shops. */
export function boundedReceiptMail(mail: { readonly subject: string; readonly text: string }) {
  const subject = withoutUnprintable(mail.subject.replace(/\s+/g, ' '))
  return {
    subject: subject.slice(0, MAX_SUBJECT_CHARS).toWellFormed(),
    text: mail.text.slice(0, MAX_TEXT_CHARS).toWellFormed(),
  }
}
