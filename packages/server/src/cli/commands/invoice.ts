import { OPERATOR } from '../../domain/account/audit.ts'
import { formatUtc } from '../../domain/time.ts'
import type { TextErasure } from '../../services/sale/invoice-text.ts'
import type { Context } from '../context.ts'
import { withServices } from '../services.ts'

interface EraseArguments {
  readonly email: string
  /** Unix seconds. */
  readonly before: number
  readonly dry: boolean
}

export async function eraseTexts({ email, before, dry }: EraseArguments, context: Context): Promise<void> {
  const counts = await withServices(context, async ({ accounts, invoiceTexts }) => {
    const account = await accounts.findByEmail(email)
    return dry ? invoiceTexts.preview(account, before) : invoiceTexts.erase(account, before, OPERATOR)
  })
  context.out.result({ email, before, dry, ...counts }, linesOf(counts, before, dry))
}

function linesOf({ erased, open, undelivered, failed }: TextErasure, before: number, dry: boolean): string[] {
  const what = `description and metadata of ${invoices(erased)} created before ${formatUtc(before)}`
  const kept = [
    [open, 'may still be paid'],
    [undelivered, 'has an event that is still to be delivered'],
    [failed, 'could not be changed: see the log'],
  ] as const
  return [
    dry ? `would be erased: ${what}` : `erased: ${what}`,
    ...kept.filter(([count]) => count > 0).map(([count, why]) => `kept: ${invoices(count)}; each ${why}`),
    ...(open + undelivered > 0 ? ['repeat the command later for those that were kept'] : []),
  ]
}

function invoices(count: number): string {
  return count === 1 ? '1 invoice' : `${count} invoices`
}
