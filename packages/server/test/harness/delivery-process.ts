/** A process that delivers webhooks until it is killed or its standard input closes. See workers/notify/delivery/kill.test.ts. */

import { startDeliveryWorker } from '../../src/workers/notify/delivery.ts'
import { openTestContainer } from './container.ts'
import { SkewedClock } from './skewed-clock.ts'

const [databaseUrl = '', sinceMs = '', factor = ''] = process.argv.slice(2)
const clock = new SkewedClock({ sinceMs: Number(sinceMs), factor: Number(factor) })
const untilKilled = { after: () => {} }
const env = { WEBHOOK_ALLOW_PRIVATE: 'true' }
const { infrastructure, services } = await openTestContainer(untilKilled, { databaseUrl, clock, env })
startDeliveryWorker({ ...infrastructure, ...services })
process.stdin.resume().on('end', () => process.exit())
