import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { formatPaymentUri } from '@zatgate/zcash/zip321'
import type { Invoice } from '../../../src/domain/sale/invoice.ts'
import { ChainSyncHarness, closeNoteScanner } from '../../harness/chain-sync.ts'
import { onBothDatabases } from '../../harness/databases.ts'
import { run } from '../../harness/poison.ts'
import { testViewingKey } from '../../harness/viewing-key.ts'

after(closeNoteScanner)

const AMOUNT = 1_000n

onBothDatabases(engine => {
  test('while no invoice at all can be written, blocks are recorded, none is at fault, and a restart finishes everything', async t => {
    const { url } = await engine.createDatabase(t)
    const harness = await ChainSyncHarness.start({ container: { databaseUrl: url } })
    t.after(() => harness.close())
    const sold = await sellAll(harness)
    const repair = await breakUpdates(url, 'invoices', 'status')
    payAll(harness, sold)
    harness.sandbox.mine(5)
    await harness.sync()
    assert.equal(await harness.tip(), harness.sandbox.height)
    await assert.rejects(harness.services.retryInvoices(), /broken/)
    const entries = await harness.query(tx => tx.setAside.list(100))
    assert.equal(entries.length, sold.length)
    assert.ok(
      entries.every(({ failures }) => failures === 0),
      'the fault is of no row',
    )

    await repair()
    harness.startServices()
    await harness.services.setAsides.makeAllDue()
    while (await harness.services.retryInvoices());
    const statuses = await Promise.all(sold.map(invoice => harness.status(invoice)))
    assert.deepEqual([...new Set(statuses)], ['paid'])
    assert.deepEqual(await harness.services.setAsides.countByKind(), [])
  })

  test('rescanned payments none of which can be confirmed are tried again after a minute', async t => {
    const { url } = await engine.createDatabase(t)
    const harness = await ChainSyncHarness.start({ servers: 2, container: { databaseUrl: url } })
    t.after(() => harness.close())
    harness.sandbox.mine(5)
    await harness.syncFully()
    const sold = await sellAll(harness)
    const { scanKeys } = harness.services
    const noKeys = async () => ({ keys: [], leftOut: [] })
    harness.startServices({}, { scanKeys: { ...scanKeys, watchedAt: noKeys, forComparison: noKeys } })
    payAll(harness, sold)
    harness.sandbox.mine(4)
    await harness.sync()
    harness.startServices()
    await harness.rescan(1)
    const repair = await breakUpdates(url, 'payments', 'awaits_witness')
    for (let i = 0; i < 3; i++) await harness.sync()
    await repair()
    harness.clock.advance(60)
    for (let i = 0; i < 3; i++) await harness.sync()
    const statuses = await Promise.all(sold.map(invoice => harness.status(invoice)))
    assert.deepEqual([...new Set(statuses)], ['paid'])
  })
})

/** Four merchants with three invoices each. */
async function sellAll({ services }: ChainSyncHarness): Promise<Invoice[]> {
  const { accounts, viewingKeys, invoices } = services
  const sold: Invoice[] = []
  for (const seed of [41, 42, 43, 44]) {
    const { account } = await viewingKeys.set(await accounts.findOrCreate(`m${seed}@example.com`), testViewingKey(seed))
    for (let made = 0; made < 3; made++)
      sold.push(await invoices.create(account, { amountZat: AMOUNT, expiresInSecs: 900, idempotencyKey: undefined }))
  }
  return sold
}

function payAll({ wallet }: ChainSyncHarness, sold: readonly Invoice[]): void {
  for (const { address } of sold) wallet.pay({ uri: formatPaymentUri({ address, amount: AMOUNT }) })
}

/** Makes each update of a column fail. @returns a function that repairs the database */
async function breakUpdates(url: string, table: string, column: string): Promise<() => Promise<void>> {
  const trigger = `CREATE TRIGGER broken BEFORE UPDATE OF ${column} ON ${table}`
  if (url.startsWith('sqlite:')) {
    await run(url, [`${trigger} BEGIN SELECT RAISE(ABORT, 'broken'); END`])
    return () => run(url, ['DROP TRIGGER broken'])
  }
  await run(url, [
    "CREATE FUNCTION broken() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN RAISE EXCEPTION 'broken'; END $$",
    `${trigger} FOR EACH ROW EXECUTE FUNCTION broken()`,
  ])
  return () => run(url, [`DROP TRIGGER broken ON ${table}`])
}
