import { backoffMs } from './backoff.ts'
import { AppError } from './error.ts'
import { storableText } from './text.ts'

/** The kinds of rows that background work can set aside, because the work fails for this row alone. */
export const SET_ASIDE_KINDS = [
  'scan_key',
  'invoice',
  'webhook',
  'delivery',
  'endpoint',
  'mail',
  'plan',
  'plan_reminder',
  'swap',
  'account_deletion',
] as const
export type SetAsideKind = (typeof SET_ASIDE_KINDS)[number]

/** A row of the database, with a value that no other row of its kind ever has: ids of rows that were lost are reused. */
export interface RowReference {
  readonly kind: SetAsideKind
  /** Null where the reference finds the row. */
  readonly rowId: number | null
  /** Such as the public id, or a fingerprint. */
  readonly reference: string
  /** Null: no single account. */
  readonly accountId: number | null
}

/** The table is bounded. Beyond these, the work stops for all rows until some are repaired. */
export const MAX_SET_ASIDE = { ofAccount: 1_000, inAll: 20_000 } as const

/** Failures of at least this many rows, of several accounts, without any success are no fault of the rows. */
const GENERAL_FAULT = { rows: 8, accounts: 3 } as const
const RETRY = { firstMs: 60_000, maxMs: 6 * 3_600_000 } as const
const MAX_ERROR_CHARS = 200
/** Ids, keys, addresses and hashes. */
const LONG_WORD = /[0-9A-Za-z+/=_-]{20,}/g

/** Whether an error may be the fault of a row: not that of a database that is unavailable, nor of work that was stopped. */
export function isRowFault(error: unknown): boolean {
  if (error instanceof AppError) return error.kind !== 'unavailable'
  return !(error instanceof Error && (error.name === 'AbortError' || error.name === 'TimeoutError'))
}

/** Whether the failures of a batch show a fault of the service or its database: then no row is set aside. */
export function isGeneralFault(batch: {
  readonly succeeded: number
  readonly failedAccounts: readonly (number | null)[]
}): boolean {
  const { succeeded, failedAccounts } = batch
  if (succeeded > 0 || failedAccounts.length < GENERAL_FAULT.rows) return false
  return new Set(failedAccounts).size >= GENERAL_FAULT.accounts
}

/** Seconds from a failure until the row is tried again. @param failures 1 or more */
export function retrySetAsideSecs(failures: number): number {
  return backoffMs(failures, RETRY) / 1000
}

/**
 * A retry later than this was put off by a clock that was ahead.
 * @param now Unix seconds
 * @param hasFailed whether the row has failed alone
 */
export function latestRetryAt(now: number, hasFailed: boolean): number {
  return now + (hasFailed ? RETRY.maxMs : RETRY.firstMs) / 1000
}

/** The text of an error as it is stored and shown: one short line without ids, keys and addresses. */
export function setAsideError(error: unknown): string {
  const message = error instanceof Error ? error.message || error.name : String(error)
  const line = message.slice(0, 2 * MAX_ERROR_CHARS).replace(/\s+/g, ' ')
  return storableText(line.replace(LONG_WORD, '…'), MAX_ERROR_CHARS)
}

/** The webhook of an account, which may have been removed and set again. */
export function webhookReference(webhook: { readonly accountId: number; readonly createdAt: number }): RowReference {
  const { accountId, createdAt } = webhook
  return { kind: 'webhook', rowId: null, reference: `${accountId} ${createdAt}`, accountId }
}

export function deliveryReference(publicId: string, accountId: number): RowReference {
  return { kind: 'delivery', rowId: null, reference: publicId, accountId }
}

export function endpointReference(endpoint: { readonly publicId: string; readonly accountId: number }): RowReference {
  const { accountId, publicId } = endpoint
  return { kind: 'endpoint', rowId: null, reference: publicId, accountId }
}

/** A viewing key is shared by the accounts that use it. */
export function scanKeyReference(key: { readonly id: number; readonly fingerprint: Uint8Array }): RowReference {
  const reference = Buffer.from(key.fingerprint).toString('hex')
  return { kind: 'scan_key', rowId: key.id, reference, accountId: null }
}

export function invoiceReference(invoice: {
  readonly id: number
  readonly publicId: string
  readonly accountId: number
}): RowReference {
  return { kind: 'invoice', rowId: invoice.id, reference: invoice.publicId, accountId: invoice.accountId }
}

/** Work on an account. */
export function accountReference(
  kind: 'plan' | 'plan_reminder' | 'account_deletion',
  account: { readonly id: number; readonly publicId: string },
): RowReference {
  return { kind, rowId: account.id, reference: account.publicId, accountId: account.id }
}

export function swapReference(swap: { readonly id: number; readonly publicId: string }): RowReference {
  return { kind: 'swap', rowId: swap.id, reference: swap.publicId, accountId: null }
}

export function mailReference(mail: {
  readonly id: number
  readonly createdAt: number
  readonly accountId?: number
}): RowReference {
  const { id, createdAt, accountId = null } = mail
  return { kind: 'mail', rowId: null, reference: `${id} ${createdAt}`, accountId }
}

/** The mail of a reference. Both values identify it: on SQLite a later mail may have the id of a removed one. */
export function mailOf({ reference }: Pick<RowReference, 'reference'>): { id: number; createdAt: number } {
  const [id = 0, createdAt = 0] = reference.split(' ').map(Number)
  return { id, createdAt }
}
