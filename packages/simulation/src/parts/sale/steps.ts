import { transitionsOf } from '../../run/part.ts'

/** The status changes of an invoice that the contract allows. */
const STEPS: Readonly<Record<string, readonly string[]>> = {
  pending: ['detected', 'paid', 'underpaid', 'expired'],
  detected: ['pending', 'paid', 'underpaid', 'expired'],
  expired: ['underpaid', 'paid'],
  underpaid: ['paid', 'expired'],
}

/** All allowed changes of invoices, and all places of payments, for the coverage. */
export const SALE_TRANSITIONS: readonly string[] = [
  'invoice · → pending',
  ...transitionsOf('invoice', STEPS),
  ...transitionsOf('payment', {
    '·': ['mempool', 'mined'],
    mempool: ['mined', 'dropped'],
    mined: ['mempool'],
    dropped: ['mempool', 'mined'],
  }),
]

export function isLawfulStep(before: string, after: string): boolean {
  return STEPS[before]?.includes(after) ?? false
}
