import { AppError } from '../error.ts'
import { requirePrintableLine } from '../text.ts'
import type { WithdrawalStatus } from './withdrawal.ts'

/** Maximum length of a payout's reference and of a failure reason. */
const MAX_PAYOUT_NOTE_CHARS = 200

/** Appends a note to an earlier one. */
export function joinNotes(earlier: string | null, added: string): string {
  return earlier === null ? added : `${earlier}; ${added}`
}

/** @throws AppError `invalid_reference`, `invalid_reason` */
export function requireValidNote(field: 'reference' | 'reason', text: string): void {
  requirePrintableLine(field, text, MAX_PAYOUT_NOTE_CHARS)
}

/** @param confirmations the number that the order requires */
export function depositNotConfirmedError(confirmations: number): AppError {
  return new AppError('deposit_not_confirmed', {
    detail: `some payments of the deposit have fewer than ${confirmations} confirmations: pay out later, or fail the order`,
  })
}

export function withdrawalNotOpenError(status: WithdrawalStatus): AppError {
  return new AppError('withdrawal_not_open', {
    detail: `the order is ${status}; only orders in payout_processing or needs_attention can be settled or failed`,
  })
}
