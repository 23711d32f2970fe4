import { ADDRESSES_AND_COPIES } from './list/addresses-and-copies.ts'
import { BILLING } from './list/billing.ts'
import { CHAIN_KNOWLEDGE } from './list/chain-knowledge.ts'
import { CHAIN_SERVERS } from './list/chain-servers.ts'
import { CHAIN_SYNC } from './list/chain-sync.ts'
import { CHANGES_OF_ACCOUNTS } from './list/changes-of-accounts.ts'
import { CLOCKS } from './list/clocks.ts'
import { COMMITS_AND_CRASHES } from './list/commits-and-crashes.ts'
import { DELETION_OF_ACCOUNTS } from './list/deletion-of-accounts.ts'
import { DELIVERIES } from './list/deliveries.ts'
import { ENDPOINTS } from './list/endpoints.ts'
import { EVENTS } from './list/events.ts'
import { EXPIRY } from './list/expiry.ts'
import { GREENFIELD } from './list/greenfield.ts'
import { INVOICES } from './list/invoices.ts'
import { LINKS } from './list/links.ts'
import { LOCKS } from './list/locks.ts'
import { MAIL } from './list/mail.ts'
import { MEMPOOL } from './list/mempool.ts'
import { PAYMENTS } from './list/payments.ts'
import { REFUNDS } from './list/refunds.ts'
import { REORGANISATIONS } from './list/reorganisations.ts'
import { RESCAN } from './list/rescan.ts'
import { ROWS_SET_ASIDE } from './list/rows-set-aside.ts'
import { SCANNING } from './list/scanning.ts'
import { SIGN_IN } from './list/sign-in.ts'
import { SWAPS } from './list/swaps.ts'
import { TERMS } from './list/terms.ts'
import { WITHDRAWALS } from './list/withdrawals.ts'
import type { Change, Mutant } from './mutant.ts'

/** By theme, in the order of `docs/evidence.md`. */
const BY_THEME: Readonly<Record<string, readonly Change[]>> = {
  'chain sync': CHAIN_SYNC,
  'chain servers': CHAIN_SERVERS,
  'chain knowledge': CHAIN_KNOWLEDGE,
  mempool: MEMPOOL,
  expiry: EXPIRY,
  payments: PAYMENTS,
  reorganisations: REORGANISATIONS,
  clocks: CLOCKS,
  rescan: RESCAN,
  scanning: SCANNING,
  invoices: INVOICES,
  terms: TERMS,
  'addresses and copies': ADDRESSES_AND_COPIES,
  events: EVENTS,
  deliveries: DELIVERIES,
  endpoints: ENDPOINTS,
  swaps: SWAPS,
  links: LINKS,
  billing: BILLING,
  withdrawals: WITHDRAWALS,
  refunds: REFUNDS,
  greenfield: GREENFIELD,
  'sign-in': SIGN_IN,
  'changes of accounts': CHANGES_OF_ACCOUNTS,
  mail: MAIL,
  'deletion of accounts': DELETION_OF_ACCOUNTS,
  'rows set aside': ROWS_SET_ASIDE,
  locks: LOCKS,
  'commits and crashes': COMMITS_AND_CRASHES,
}

/** Every mutant of the service. */
export const MUTANTS: readonly Mutant[] = Object.entries(BY_THEME).flatMap(([theme, changes]) =>
  changes.map(change => ({ ...change, theme })),
)
