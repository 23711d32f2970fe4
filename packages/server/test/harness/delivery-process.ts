/** A process that delivers webhooks until it is killed or its standard input closes. See delivery-kill.test.ts. */

import { createVault } from '../../src/adapters/crypto/vault.ts'
import { createHttpClient } from '../../src/adapters/http-client/client.ts'
import { systemRandom } from '../../src/adapters/system/random.ts'
import { NO_METRICS } from '../../src/ports/metrics.ts'
import { createDeliveries } from '../../src/services/delivery.ts'
import { openStore } from '../../src/store/open.ts'
import { startDeliveryWorker } from '../../src/workers/delivery.ts'
import { silentLog } from './log.ts'
import { scaledClock } from './scaled-clock.ts'

const [url = '', key = '', sinceMs = '', factor = ''] = process.argv.slice(2)
const clock = scaledClock(Number(sinceMs), Number(factor))
const store = await openStore(url)
const vault = createVault([Buffer.from(key, 'hex')], systemRandom)
const webhookHttp = createHttpClient({ allowPrivate: true })
const deliveries = createDeliveries({ store, vault, webhookHttp, clock, random: systemRandom, log: silentLog })
startDeliveryWorker({ deliveries, store, clock, log: silentLog, metrics: NO_METRICS })
process.stdin.resume().on('end', () => process.exit())
