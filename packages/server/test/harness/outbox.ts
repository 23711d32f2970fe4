import { systemRandom } from '../../src/adapters/system/random.ts'
import { createOutbox } from '../../src/services/outbox.ts'
import { createWithdrawalTransition } from '../../src/services/withdrawal-transition.ts'

/** The outbox of tests that build single services. */
export const testOutbox = createOutbox({ random: systemRandom })

export const testTransition = createWithdrawalTransition({ outbox: testOutbox })
