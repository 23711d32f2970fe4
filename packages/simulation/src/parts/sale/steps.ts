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
  ...Object.entries(STEPS).flatMap(([before, afters]) => afters.map(after => `invoice ${before} → ${after}`)),
  'payment · → mempool',
  'payment · → mined',
  'payment mempool → mined',
  'payment mempool → dropped',
  'payment mined → mempool',
  'payment dropped → mempool',
  'payment dropped → mined',
]

export function isLawfulStep(before: string, after: string): boolean {
  return STEPS[before]?.includes(after) ?? false
}
