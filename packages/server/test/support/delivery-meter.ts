import type { DeliveryMeter } from '../../src/ports.ts'

/** Discards all measurements. */
export const silentMeter: DeliveryMeter = { attempt: () => {}, underWay: () => {} }
