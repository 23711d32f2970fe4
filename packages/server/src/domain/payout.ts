import { AppError } from './error.ts'
import { requirePrintableLine } from './text.ts'
import { formatIso } from './time.ts'
import type { WithdrawalStatus } from './withdrawal.ts'

/** Maximum length of a payout's reference and of a failure reason. */
export const MAX_PAYOUT_NOTE_CHARS = 200

/** The notes of the operator or the provider on a payout. */
export interface PayoutNote {
  readonly reference: string | null
  readonly reason: string | null
}

/** Fills in missing notes only, so that the operator's notes are kept. */
export function withMissingNotes({ reference, reason }: PayoutNote, note: Partial<PayoutNote>): PayoutNote {
  return { reference: reference ?? note.reference ?? null, reason: reason ?? note.reason ?? null }
}

/** Appends a note to an earlier one. */
export function joinNotes(earlier: string | null, added: string | null = null): string | null {
  return earlier !== null && added !== null ? `${earlier}; ${added}` : (added ?? earlier)
}

/** @throws AppError `invalid_reference`, `invalid_reason` */
export function requireValidNote(field: 'reference' | 'reason', text: string): void {
  requirePrintableLine(field, text, MAX_PAYOUT_NOTE_CHARS)
}

/** @param confirmations the number that the order requires */
export function depositNotConfirmedError(confirmations: number): AppError {
  return new AppError('conflict', 'deposit_not_confirmed', 'deposit not confirmed', {
    extra: {
      detail: `some payments of the deposit have fewer than ${confirmations} confirmations: pay out later, or fail the order`,
    },
  })
}

/** The order is being paid by a provider, since a time in Unix seconds. */
export function payoutInProgressError({ provider, since }: { provider: string; since: number }): AppError {
  return new AppError('conflict', 'payout_in_progress', 'payout in progress', {
    extra: {
      detail:
        `the provider ${provider} has been paying this order since ${formatIso(since)}; ` +
        'override only when the provider will not pay',
    },
  })
}

export function withdrawalNotOpenError(status: WithdrawalStatus): AppError {
  return new AppError('conflict', 'withdrawal_not_open', 'withdrawal not open', {
    extra: {
      detail: `the order is ${status}; only orders in payout_processing or needs_attention can be settled or failed`,
    },
  })
}
