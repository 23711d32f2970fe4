/** The parts of the service, in the order of the list. */
export const THEMES = [
  'chain sync',
  'mempool',
  'expiry',
  'payments',
  'reorganisations',
  'clocks',
  'rescan',
  'invoices',
  'addresses and copies',
  'deliveries',
  'swaps',
  'billing',
  'withdrawals',
  'sign-in and mail',
  'deletion of accounts',
  'rows set aside',
  'locks',
  'commits and crashes',
] as const
export type Theme = (typeof THEMES)[number]

/** A deliberate bug of the kind that loses money, which the simulation alone must find. */
export interface Mutant {
  readonly name: string
  readonly theme: Theme
  /** Path below `packages/server/src`. */
  readonly file: string
  /** Must occur in the file exactly once. */
  readonly find: string
  readonly replace: string
  /** Features that the world of a seed must have for its run to reach the mutant. Other seeds are left out. */
  readonly needs?: readonly string[]
  /** The number of seeds, from the base seed on, one of which must fail. */
  readonly withinSeeds: number
}
