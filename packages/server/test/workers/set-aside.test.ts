import assert from 'node:assert/strict'
import { test } from 'node:test'
import { startWorkers, type WorkerName } from '../../src/background.ts'
import { openTestContainer } from '../harness/container.ts'
import { until } from '../harness/until.ts'

for (const name of ['mail', 'set aside by delivery', 'set aside by the watcher'] satisfies WorkerName[])
  test(`the worker "${name}" makes all rows that are set aside due at its start, and only then`, async t => {
    const mailer = { send: async () => {}, close: () => {} }
    const { infrastructure, services } = await openTestContainer(t, { mailer })
    let calls = 0
    let retries = 0
    const setAsides = {
      ...services.setAsides,
      async makeAllDue() {
        calls++
      },
      isAnyDue: async () => true,
    }
    const retry = async () => ++retries < 3
    const deliveries = { ...services.deliveries, retrySetAside: retry }
    const container = {
      infrastructure,
      services: { ...services, setAsides, deliveries, retryInvoices: retry },
      operator: null,
    }
    const stack = new AsyncDisposableStack()
    startWorkers(container, 'https://pay.example', stack, [name])
    await until('the loop has begun', () => calls > 0)
    if (name !== 'mail') await until('it has run three times', () => retries === 3)
    await stack.disposeAsync()
    assert.equal(calls, 1)
  })
