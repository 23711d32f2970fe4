import { normaliseEmail } from '../../domain/account/account.ts'
import { AppError } from '../../domain/error.ts'
import { boundedReceiptMail, RECEIPT_MAILS, usedReceiptLimit } from '../../domain/notify/receipt-mail.ts'
import type { Invoice } from '../../domain/sale/invoice.ts'
import { type Clock, nowSecs } from '../../ports/clock.ts'
import type { KeyedHash } from '../../ports/keyed-hash.ts'
import type { Store } from '../../ports/store.ts'
import { sameRow } from '../public-id.ts'

/** Mails of receipts to buyers. The address is stored until the mail is sent or given up. */
export interface ReceiptMails {
  /** Whether the service has a mail server. */
  readonly offered: boolean
  /**
   * Queues a mail. The same one to the same address is `queued` and sent once within a minute.
   * @param receipt in the language of the buyer, both shortened if they are too long
   * @throws AppError `no_such_invoice` when another invoice has its row since
   */
  send(
    invoice: Pick<Invoice, 'id' | 'publicId'>,
    address: string,
    receipt: { readonly subject: string; readonly text: string },
  ): Promise<ReceiptMailOutcome>
}

export type ReceiptMailOutcome = 'queued' | 'wrong_address' | 'invoice_limit' | 'account_limit'

export function createReceiptMails(deps: {
  readonly store: Store
  readonly clock: Clock
  readonly keyedHash: KeyedHash
  readonly offered: boolean
}): ReceiptMails {
  const { store, clock, keyedHash, offered } = deps
  return {
    offered,

    async send(found, address, receipt) {
      const to = normaliseEmail(address)
      if (to === null) return 'wrong_address'
      const createdAt = nowSecs(clock)
      const repeatKey = Buffer.from(keyedHash.hash('receipt mail', `${found.publicId} ${to}`)).toString('base64url')
      return store.write(async tx => {
        const [row] = await tx.invoices.byIds([found.id])
        const invoice = sameRow(row, found)
        if (!invoice) throw new AppError('no_such_invoice')
        const { id: invoiceId, accountId } = invoice
        await tx.accounts.lock(accountId)
        if (await tx.receiptMails.isRepeated(repeatKey)) return 'queued'
        const since = createdAt - RECEIPT_MAILS.accountSecs
        const used = usedReceiptLimit(await tx.receiptMails.count({ invoiceId, accountId }, since))
        if (used) return used
        const mail = boundedReceiptMail(receipt)
        await tx.receiptMails.enqueue({ invoiceId, accountId, to, ...mail, createdAt, repeatKey })
        return 'queued'
      })
    },
  }
}
