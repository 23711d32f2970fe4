import assert from 'node:assert/strict'
import { test } from 'node:test'
import { consensusParams } from '../../../src/domain/chain/network-upgrade.ts'
import type { Store } from '../../../src/ports/store.ts'
import { createInvoiceExpiry } from '../../../src/services/sale/invoice-expiry.ts'
import { createChangeReporter, createInvoiceUpdater } from '../../../src/services/sale/invoice-state.ts'
import { onBothDatabases, openEmptyStore } from '../../harness/databases.ts'
import { NOW, openShop } from '../../harness/fixtures.ts'
import { silentLog } from '../../harness/log.ts'
import { ManualClock } from '../../harness/manual-clock.ts'
import { testOutbox } from '../../harness/outbox.ts'
import { TestNetwork } from '../../harness/simulation/network.ts'

onBothDatabases(engine => {
  test('the chain is locked only while an invoice is overdue by the clock', async t => {
    const store = await openEmptyStore(engine, t)
    const clock = new ManualClock(NOW)
    let writes = 0
    const counted: Store = {
      ...store,
      write: work => {
        writes += 1
        return store.write(work)
      },
    }
    const expiry = createInvoiceExpiry({
      store: counted,
      updateInvoices: createInvoiceUpdater({ outbox: testOutbox }),
      reportChanges: createChangeReporter({ log: silentLog }),
      clock,
      params: consensusParams('regtest'),
    })
    await store.write(tx => tx.chain.appendHeaders(new TestNetwork({ time: NOW }).blocksFrom()))
    const shop = await openShop(store)
    const invoice = await shop.sell({ expiresAt: NOW + 100 })
    const status = async () => (await store.read(tx => tx.invoices.byIds([invoice.id])))[0]?.status

    clock.advance(99)
    assert.deepEqual([await expiry.expireDue(10), writes], [0, 0])
    clock.advance(1)
    await store.write(tx => tx.chain.setSyncedThrough(NOW + 99, clock.secs))
    assert.deepEqual([await expiry.expireDue(10), writes, await status()], [0, 1, 'pending'])
    clock.advance(10)
    await store.write(tx => tx.chain.setSyncedThrough(NOW + 100, clock.secs))
    assert.deepEqual([await expiry.expireDue(10), writes, await status()], [1, 2, 'expired'])
    assert.deepEqual([await expiry.expireDue(10), writes], [0, 2])
  })
})
