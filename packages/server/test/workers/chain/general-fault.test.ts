import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import type { Invoice } from '../../../src/domain/sale/invoice.ts'
import { closeNoteScanner } from '../../harness/chain-sync.ts'
import { onBothDatabases } from '../../harness/databases.ts'
import { run } from '../../harness/poison.ts'
import { openChainSync } from '../../harness/set-aside.ts'

after(closeNoteScanner)

onBothDatabases(engine => {
  test('while no invoice at all can be written, blocks are recorded, none is at fault, and a restart finishes everything', async t => {
    const chain = await openChainSync(engine, t)
    const { harness, url } = chain
    const sold = await sellAll(chain)
    const repair = await breakUpdates(url, 'invoices', 'status')
    for (const invoice of sold) chain.pay(invoice)
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
    await chain.retryInvoices()
    assert.deepEqual([...new Set(await chain.statuses(sold))], ['paid'])
    assert.deepEqual(await chain.kinds(), [])
  })

  test('rescanned payments none of which can be confirmed are tried again after a minute', async t => {
    const chain = await openChainSync(engine, t, 2)
    const { harness, url } = chain
    harness.sandbox.mine(5)
    await harness.syncFully()
    const sold = await sellAll(chain)
    const { scanKeys } = harness.services
    const noKeys = async () => ({ keys: [], leftOut: [] })
    harness.startServices({}, { scanKeys: { ...scanKeys, watchedAt: noKeys, forComparison: noKeys } })
    for (const invoice of sold) chain.pay(invoice)
    harness.sandbox.mine(4)
    await harness.sync()
    harness.startServices()
    await harness.rescan(1)
    const repair = await breakUpdates(url, 'payments', 'awaits_witness')
    for (let i = 0; i < 3; i++) await harness.sync()
    await repair()
    harness.clock.advance(60)
    for (let i = 0; i < 3; i++) await harness.sync()
    assert.deepEqual([...new Set(await chain.statuses(sold))], ['paid'])
  })
})

/** Four merchants with three invoices each. */
async function sellAll({ merchant, sell }: Awaited<ReturnType<typeof openChainSync>>): Promise<Invoice[]> {
  const sold: Invoice[] = []
  for (const seed of [41, 42, 43, 44]) {
    const account = await merchant(seed)
    for (let made = 0; made < 3; made++) sold.push(await sell(account))
  }
  return sold
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
