import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createServices } from '../../../src/container.ts'
import type { Store } from '../../../src/ports/store.ts'
import { openTestContainer } from '../../harness/container.ts'
import { onPostgres, openEmptyStore } from '../../harness/databases.ts'
import { withRepositories } from '../../harness/tx.ts'

onPostgres(engine => {
  test('a test event is refused, not lost, when the webhook is set and removed again meanwhile', async t => {
    const store = await openEmptyStore(engine, t)
    const { infrastructure, services } = await openTestContainer(t, { store })
    const account = await services.accounts.findOrCreate('shop@example.org')
    const disturbed: Store = {
      ...store,
      write: work =>
        store.write(tx =>
          work(
            withRepositories(tx, {
              deliveries: {
                ...tx.deliveries,
                async countOpenOf(...args) {
                  await services.webhooks.set(account, 'https://shop.example/hook')
                  return tx.deliveries.countOpenOf(...args)
                },
              },
              events: {
                ...tx.events,
                async append(events) {
                  await services.webhooks.remove(account)
                  return tx.events.append(events)
                },
              },
            }),
          ),
        ),
    }
    const { webhooks } = createServices({ ...infrastructure, store: disturbed }, null)
    await assert.rejects(webhooks.test(account), { code: 'webhook_not_set' })
    assert.deepEqual(await services.webhooks.deliveries(account, { limit: 10 }), [])
  })
})
