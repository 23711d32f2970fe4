import assert from 'node:assert/strict'
import { test } from 'node:test'
import { NO_METRICS } from '../../../src/ports/metrics.ts'
import { NO_TRACER } from '../../../src/ports/tracer.ts'
import { startEndpointWorker } from '../../../src/workers/notify/endpoint.ts'
import { onBothDatabases } from '../../harness/databases.ts'
import { startEndpoints } from '../../harness/endpoints.ts'
import { makeAccount } from '../../harness/fixtures.ts'
import { silentLog } from '../../harness/log.ts'
import { until } from '../../harness/until.ts'

const MAX_CONCURRENT = 4
const HANGING = 10

onBothDatabases(engine => {
  test('each attempt has a span with the event, the attempt and the status', async t => {
    const { clock, create, endpointDeliveries, raise, store } = await startEndpoints(t, engine)
    const spans: unknown[] = []
    const tracer = { ...NO_TRACER, start: () => ({ end: (...span: unknown[]) => void spans.push(span) }) }
    await create('standard')
    await raise(1)
    const options = { endpointDeliveries, store, clock, log: silentLog, metrics: NO_METRICS, tracer }
    const worker = startEndpointWorker(options)
    const facts = { 'zatgate.event': 'invoice.created', 'zatgate.attempt': 1 }
    await until('the attempt has ended', () => spans.length === 1)
    await worker.stop()
    assert.deepEqual(spans, [['webhook attempt', false, { ...facts, 'http.response.status_code': 200 }]])
  })

  test('many endpoints that fail and hang leave half of the attempts to the others, however long they are due', async t => {
    const { clock, create, endpoints, endpointDeliveries, raise, receivers, sendDue, store } = await startEndpoints(
      t,
      engine,
    )
    const failing = await makeAccount(store)
    for (let index = 0; index < HANGING; index++)
      await endpoints.create(failing, { url: 'https://hang.example/', schedule: 'standard' })
    receivers.isDown = true
    await raise(1, 'invoice.created', failing)
    await sendDue()
    receivers.isDown = false
    const hanging = receivers.hang('https://hang.example/')
    await raise(5, 'invoice.created', failing)
    while (await endpointDeliveries.wake());
    clock.advance(1)
    await create('standard')
    await raise(5)
    const options = { endpointDeliveries, store, clock, log: silentLog, metrics: NO_METRICS }
    const worker = startEndpointWorker({ ...options, maxConcurrent: MAX_CONCURRENT })
    try {
      await until('the events of the other endpoint', () => receivers.received.length === 5)
      assert.equal(hanging.requests, MAX_CONCURRENT / 2)
      assert.deepEqual(receivers.seqs, [1, 2, 3, 4, 5])
    } finally {
      hanging.release()
      await worker.stop()
    }
  })
})
