import type { DeliveryMetrics } from '../../src/ports/metrics.ts'
/** Discards all measurements. */
export const silentMetrics: DeliveryMetrics = { attemptEnded: () => {}, setInFlight: () => {} }
