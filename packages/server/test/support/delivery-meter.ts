import type { DeliveryMeter } from '../../src/ports/metrics.ts'
/** Discards all measurements. */
export const silentMeter: DeliveryMeter = { attempt: () => {}, underWay: () => {} }
