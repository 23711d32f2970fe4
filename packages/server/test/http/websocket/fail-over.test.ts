import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import type { Invoice, InvoiceStatus } from '../../../src/domain/sale/invoice.ts'
import type { Store } from '../../../src/ports/store.ts'
import { startTestApi } from '../../harness/api.ts'
import { type DatabaseEngine, onBothDatabases, openEmptyStore } from '../../harness/databases.ts'
import { NOW, openShop, type Shop } from '../../harness/fixtures.ts'
import { testOutbox } from '../../harness/outbox.ts'
import { switchableStore } from '../../harness/standby.ts'
import { until } from '../../harness/until.ts'
import { subscribe } from '../../harness/websocket-client.ts'

/** A change of an invoice, as the watcher writes it. */
async function change(store: Store, invoice: Invoice, status: InvoiceStatus, at = NOW, times = 1): Promise<void> {
  await store.write(async tx => {
    await tx.invoices.updateStates([{ ...invoice, status, receivedZat: status === 'pending' ? 0n : 5_000n }])
    await testOutbox.invoicesChanged(tx, Array<number>(times).fill(invoice.id), at)
  })
}

/** An API whose database is replaced by a standby. Both have the shop. */
async function openFailOver(t: TestContext, engine: DatabaseEngine) {
  const [primary, standby] = [await openEmptyStore(engine, t), await openEmptyStore(engine, t)]
  const { store, switchTo } = switchableStore(primary)
  const api = await startTestApi({ store, billing: false })
  t.after(() => api.close())
  const shop = await openShop(primary)
  return { api, primary, standby, shop, standbyShop: await openShop(standby, shop), promote: () => switchTo(standby) }
}

/** Both databases have the invoice. */
async function sellInBoth(shop: Shop, standbyShop: Shop): Promise<Invoice> {
  const invoice = await shop.sell()
  await standbyShop.sell({ publicId: invoice.publicId })
  return invoice
}

/** Without the repair, a message or the end of the connection never comes. */
const LIMIT = { timeout: 20_000 }

onBothDatabases(engine => {
  for (const [behind, lostEvents, newEvents] of [
    ['is behind the one of the lost database', 5, 1],
    ['has overtaken the one of the lost database', 2, 6],
  ] as const) {
    test(`after a fail-over a socket gets \`paid\` when the sequence of events ${behind}`, LIMIT, async t => {
      const { api, primary, standby, shop, standbyShop, promote } = await openFailOver(t, engine)
      const invoice = await sellInBoth(shop, standbyShop)
      const client = subscribe(api.url, invoice.publicId)
      assert.equal(await client.message(0), '{"status":"pending"}')
      await change(primary, invoice, 'detected', NOW, lostEvents)
      assert.equal(await client.message(1), '{"status":"detected","confirmations":0}')
      promote()
      await change(standby, invoice, 'paid', NOW + 60)
      const other = await standbyShop.sell()
      await change(standby, other, 'detected', NOW + 60, newEvents)
      // The standby may be read before its change.
      await until('`paid`', () => client.messages.at(-1) === '{"status":"paid"}')
      assert.equal(await client.closed, 1000)
    })
  }

  test('after a fail-over the socket of a lost invoice gets nothing of the invoice with its row id', LIMIT, async t => {
    const { api, primary, standby, shop, standbyShop, promote } = await openFailOver(t, engine)
    const lost = await shop.sell()
    const client = subscribe(api.url, lost.publicId)
    await client.message(0)
    await change(primary, lost, 'pending')
    promote()
    const other = await standbyShop.sell()
    assert.equal(other.id, lost.id)
    await change(standby, other, 'paid', NOW + 60)
    assert.equal(await client.closed, 1001, 'the client connects again')
    assert.ok(client.messages.every(message => message === '{"status":"pending"}'))
    const again = subscribe(api.url, lost.publicId)
    assert.equal(await again.message(0), '{"status":"not_found"}')
  })

  test('after a fail-over the socket of an invoice that is lost is closed', LIMIT, async t => {
    const { api, primary, shop, promote } = await openFailOver(t, engine)
    const lost = await shop.sell()
    const client = subscribe(api.url, lost.publicId)
    await client.message(0)
    await change(primary, lost, 'detected')
    await client.message(1)
    promote()
    assert.equal(await client.closed, 1001)
  })
})
