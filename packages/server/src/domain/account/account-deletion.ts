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

/** @throws AppError `account_being_deleted` */
export function requireNoDeletion({ deletionRequestedAt }: Deletable): void {
  if (deletionRequestedAt === undefined) return
  throw new AppError('account_being_deleted')
}

/** Stored as the email of a deleted account. It is not a valid address, so no one can sign in with it. */
export function emailOfDeleted(publicId: string): string {
  return `deleted ${publicId}`
}
