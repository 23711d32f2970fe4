import { ACCOUNT_MUTANTS } from './list/accounts.ts'
import { CONCURRENCY_MUTANTS } from './list/concurrency.ts'
import { DELETION_MUTANTS } from './list/deletion.ts'
import { FAIL_OVER_MUTANTS } from './list/fail-over.ts'
import { FOUND_MUTANTS } from './list/found.ts'
import { INVOICE_MUTANTS } from './list/invoices.ts'
import { PAYMENT_MUTANTS } from './list/payments.ts'
import { POISON_MUTANTS } from './list/poison.ts'
import { SYNC_MUTANTS } from './list/sync.ts'
import { type Mutant, THEMES } from './mutant.ts'

/** All mutants, ordered by theme. */
export const MUTANTS: readonly Mutant[] = [
  ...SYNC_MUTANTS,
  ...PAYMENT_MUTANTS,
  ...INVOICE_MUTANTS,
  ...ACCOUNT_MUTANTS,
  ...DELETION_MUTANTS,
  ...CONCURRENCY_MUTANTS,
  ...FAIL_OVER_MUTANTS,
  ...POISON_MUTANTS,
  ...FOUND_MUTANTS,
].sort((a, b) => THEMES.indexOf(a.theme) - THEMES.indexOf(b.theme))
