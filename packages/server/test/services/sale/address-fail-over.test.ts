import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import { createServices } from '../../../src/container.ts'
import type { Store } from '../../../src/ports/store.ts'
import { openTestContainer } from '../../harness/container.ts'
import { type DatabaseEngine, onBothDatabases, openEmptyStore } from '../../harness/databases.ts'
import { openMerchant } from '../../harness/merchant.ts'
import { createPlainNoteScanner } from '../../harness/plain-note-scanner.ts'
import { switchableStore } from '../../harness/standby.ts'

/** Seeds of the viewing keys: of the merchant whose account the standby lacks, and of the one who gets its row ids. */
const [LOST, OTHER] = [21, 22]

/** An action that runs once, at a moment of the process. */
type Moment = () => void

/**
 * The services of one process whose database is replaced by a standby, which lacks the merchant `lost`. In the standby,
 * `other` has the row ids of `lost`.
 */
async function openFailOver(t: TestContext, engine: DatabaseEngine) {
  const [primary, standby] = [await openEmptyStore(engine, t), await openEmptyStore(engine, t)]
  const { store, switchTo } = switchableStore(primary)
  const moments: { beforeInsert?: Moment; beforeDerivation?: Moment } = {}
  const at = (name: keyof typeof moments) => {
    const moment = moments[name]
    delete moments[name]
    moment?.()
  }
  const hooked: Store = new Proxy(store, {
    get(_, name: keyof Store) {
      if (name === 'writeBatched') at('beforeInsert')
      return store[name]
    },
  })
  const plain = createPlainNoteScanner()
  const noteScanner = {
    ...plain,
    deriveAddresses(...args: Parameters<typeof plain.deriveAddresses>) {
      at('beforeDerivation')
      return plain.deriveAddresses(...args)
    },
  }
  const { infrastructure, services } = await openTestContainer(t, { store: hooked, noteScanner })
  const lost = await openMerchant(services, noteScanner, LOST)
  const other = await openMerchant(createServices({ ...infrastructure, store: standby }, null), noteScanner, OTHER)
  assert.deepEqual([other.account.id, other.account.viewingKeyId], [lost.account.id, lost.account.viewingKeyId])
  const promote = () => switchTo(standby)
  const soldInStandby = () => standby.read(tx => tx.invoices.list(other.account.id, { limit: 100 }))
  const otherHere = {
    sell: () =>
      services.invoices.create(other.account, { amountZat: 5n, expiresInSecs: undefined, idempotencyKey: undefined }),
  }
  return { services, moments, promote, lost, other: { ...other, ...otherHere }, soldInStandby }
}

const unavailable = { code: 'database_unavailable' }

onBothDatabases(engine => {
  test('addresses that were cached before a fail-over are not shown for the key that gets their row id', async t => {
    const { promote, lost, other } = await openFailOver(t, engine)
    for (let sold = 0; sold < 20; sold++) assert.ok(lost.owns(await lost.sell()))
    promote()
    for (let sold = 0; sold < 20; sold++) assert.ok(other.owns(await other.sell()), `invoice ${sold}`)
  })

  test('a request of an account that a fail-over loses is refused, and creates nothing for the one with its row id', async t => {
    const { moments, promote, lost, other, soldInStandby } = await openFailOver(t, engine)
    await lost.sell()
    moments.beforeInsert = promote
    await assert.rejects(lost.sell(), unavailable)
    const own = await other.sell()
    // With addresses of the other key in the cache.
    await assert.rejects(lost.sell(), unavailable)
    assert.deepEqual(
      (await soldInStandby()).map(({ publicId }) => publicId),
      [own.publicId],
    )
  })

  test('a range that is reserved during a fail-over serves its own key only', async t => {
    const { moments, promote, lost, other } = await openFailOver(t, engine)
    moments.beforeDerivation = promote
    await assert.rejects(lost.sell(), unavailable)
    for (let sold = 0; sold < 5; sold++) assert.ok(other.owns(await other.sell()))
  })

  test('an address that is released after a fail-over does not come back for the key with its row id', async t => {
    const { services, promote, lost, other } = await openFailOver(t, engine)
    const { addresses } = services
    const reserved = await addresses.reserve(lost.account.viewingKeyId)
    promote()
    await other.sell()
    addresses.release(lost.account.viewingKeyId, reserved)
    addresses.forget(lost.account.viewingKeyId, reserved)
    for (let sold = 0; sold < 5; sold++) {
      const next = await addresses.reserve(other.account.viewingKeyId)
      assert.ok(other.owns({ address: next.address, diversifierIndex: next.index }))
    }
  })

  test('after a fail-over, notes are decrypted with the key that the row holds now', async t => {
    const { services, promote, lost, other } = await openFailOver(t, engine)
    const scanned = async () =>
      (await services.scanKeys.all()).keys.map(({ id, incoming }) => [id, Buffer.from(incoming)])
    assert.deepEqual(await scanned(), [[lost.account.viewingKeyId, Buffer.from(lost.incoming)]])
    promote()
    assert.deepEqual(await scanned(), [[other.account.viewingKeyId, Buffer.from(other.incoming)]])
  })
})
