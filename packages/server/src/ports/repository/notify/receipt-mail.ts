import type { QueuedReceipts } from '../../../domain/notify/receipt-mail.ts'
import type { ReceiptMail } from './mail.ts'

/** A mail with a receipt to queue. */
export interface NewReceiptMail {
  readonly invoiceId: number
  readonly accountId: number
  readonly to: string
  readonly subject: string
  readonly text: string
  readonly createdAt: number
  /** A keyed hash of the receipt and the address. */
  readonly repeatKey: string
}

/**
 * Mails with receipts. They are claimed as notices. To queue one, lock its account first: the limits are counted before.
 */
export interface ReceiptMailRepository {
  /** @param since Unix seconds; those of the account from then on are counted */
  count(mail: Pick<NewReceiptMail, 'invoiceId' | 'accountId'>, since: number): Promise<QueuedReceipts>
  /** Whether a mail with this key waits, or was sent a short time ago. */
  isRepeated(repeatKey: string): Promise<boolean>
  /** Queues a mail that is due right after the commit, and counts it. */
  enqueue(mail: NewReceiptMail): Promise<void>
  /** Forgets the address and the content. What is left of the mail, its key, is removed after `until`, in Unix seconds. */
  end(mail: ReceiptMail, until: number): Promise<void>
}
