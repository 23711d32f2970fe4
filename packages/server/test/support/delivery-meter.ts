import type { DeliveryMeter } from '../../src/ports.ts'

export const silentMeter: DeliveryMeter = { attempt: () => {}, underWay: () => {} }
