import { systemRandom } from '../../src/adapters/system/random.ts'
import { createOutbox } from '../../src/services/notify/outbox.ts'

/** The outbox of tests that build single services. */
export const testOutbox = createOutbox({ random: systemRandom })
