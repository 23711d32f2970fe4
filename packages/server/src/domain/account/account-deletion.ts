import { AppError } from '../error.ts'
import { DAY_SECS } from '../time.ts'
import type { Account } from './account.ts'

/** How long an account can be kept after its deletion was requested. Requests in progress end long before. */
export const DELETION_WAIT_SECS = 7 * DAY_SECS

type Deletable = Pick<Account, 'deletionRequestedAt'>

/** The earliest time of the deletion in Unix seconds; null: the account is not being deleted. */
export function deletionDueAt({ deletionRequestedAt }: Deletable): number | null {
  return deletionRequestedAt === undefined ? null : deletionRequestedAt + DELETION_WAIT_SECS
}

/** Whether the wait is over at this time, in Unix seconds. An account with open work is kept longer. */
export function isDeletionDue(account: Deletable, at: number): boolean {
  const dueAt = deletionDueAt(account)
  return dueAt !== null && at >= dueAt
}

/** Work that can still change something of an account, which is kept until it has none. */
export const OPEN_WORK = [
  // It failed, and is tried again.
  'set_aside',
  // Open, or watched for a late payment.
  'invoice',
  // To the webhook.
  'delivery',
  // One that is enabled and not paused has events to get.
  'endpoint',
  // Not closed, or its deposit address is watched.
  'withdrawal',
  // Open, and its invoice can still be paid.
  'plan_purchase',
  // The provider is asked about it.
  'swap',
  // Not sent and not canceled: its buyer is owed it.
  'refund',
] as const
export type OpenWork = (typeof OPEN_WORK)[number]

/** @throws AppError `account_being_deleted` */
export function requireNoDeletion({ deletionRequestedAt }: Deletable): void {
  if (deletionRequestedAt === undefined) return
  throw new AppError('account_being_deleted')
}

/** Stored as the email of a deleted account. It is not a valid address, so no one can sign in with it. */
export function emailOfDeleted(publicId: string): string {
  return `deleted ${publicId}`
}
