import type { Kysely } from 'kysely'
import type { Dialect } from '../dialect.ts'
import { up as core } from './0001_core.ts'
import { up as webhooks } from './0002_webhooks.ts'
import { up as signIn } from './0003_sign_in.ts'
import { up as swaps } from './0004_swaps.ts'
import { up as billing } from './0005_billing.ts'
import { up as dashboard } from './0006_dashboard.ts'
import { up as chainPosition } from './0007_chain_position.ts'
import { up as payoutClaim } from './0008_payout_claim.ts'
import { up as databaseOrigin } from './0009_database_origin.ts'
import { up as attentionMail } from './0010_attention_mail.ts'
import { up as chainProblem } from './0011_chain_problem.ts'
import { up as viewingKeyExpiry } from './0012_viewing_key_expiry.ts'
import { up as signInBudgets } from './0013_sign_in_budgets.ts'
import { up as watchedKeys } from './0014_watched_keys.ts'
import { up as accountSecurity } from './0015_account_security.ts'
import { up as accountDeletion } from './0016_account_deletion.ts'
import { up as paymentTotals } from './0018_payment_totals.ts'
import { up as setAside } from './0019_set_aside.ts'
import { up as dailyTotals } from './0020_daily_totals.ts'
import { up as swapStartsByTime } from './0021_swap_starts_by_time.ts'
import { up as emailUndo } from './0022_email_undo.ts'
import { up as rescannedPayment } from './0023_rescanned_payment.ts'
import { up as abandonedSwaps } from './0024_abandoned_swaps.ts'
import { up as failedDeliveries } from './0025_failed_deliveries.ts'
import { up as swapDeposits } from './0027_swap_deposits.ts'
import { up as payoutsByHand } from './0028_payouts_by_hand.ts'

export type Migration = readonly [name: string, up: (db: Kysely<unknown>, dialect: Dialect) => Promise<void>]

/** In the order of execution. A published migration is never edited: changes are new entries at the end. */
export const MIGRATIONS: readonly Migration[] = [
  ['0001_core', core],
  ['0002_webhooks', webhooks],
  ['0003_sign_in', signIn],
  ['0004_swaps', swaps],
  ['0005_billing', billing],
  ['0006_dashboard', dashboard],
  ['0007_chain_position', chainPosition],
  ['0008_payout_claim', payoutClaim],
  ['0009_database_origin', databaseOrigin],
  ['0010_attention_mail', attentionMail],
  ['0011_chain_problem', chainProblem],
  ['0012_viewing_key_expiry', viewingKeyExpiry],
  ['0013_sign_in_budgets', signInBudgets],
  ['0014_watched_keys', watchedKeys],
  ['0015_account_security', accountSecurity],
  ['0016_account_deletion', accountDeletion],
  ['0018_payment_totals', paymentTotals],
  ['0019_set_aside', setAside],
  ['0020_daily_totals', dailyTotals],
  ['0021_swap_starts_by_time', swapStartsByTime],
  ['0022_email_undo', emailUndo],
  ['0023_rescanned_payment', rescannedPayment],
  ['0024_abandoned_swaps', abandonedSwaps],
  ['0025_failed_deliveries', failedDeliveries],
  ['0027_swap_deposits', swapDeposits],
  ['0028_payouts_by_hand', payoutsByHand],
]

export const NEWEST_MIGRATION = MIGRATIONS.at(-1)![0]
