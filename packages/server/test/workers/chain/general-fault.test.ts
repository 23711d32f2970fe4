import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { formatPaymentUri } from '@zatgate/zcash/zip321'
import type { Invoice } from '../../../src/ports/repository/invoice.ts'
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
    const { accounts, viewingKeys, invoices } = harness.services
    const sold: Invoice[] = []
    for (const seed of [41, 42, 43, 44]) {
      const { account } = await viewingKeys.set(
        await accounts.findOrCreate(`m${seed}@example.com`),
        testViewingKey(seed),
      )
      for (let made = 0; made < 3; made++)
        sold.push(await invoices.create(account, { amountZat: AMOUNT, expiresInSecs: 900, idempotencyKey: undefined }))
    }
    const isSqlite = url.startsWith('sqlite:')
    const raise =
      "CREATE FUNCTION broken() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN RAISE EXCEPTION 'broken'; END $$"
    await run(
      url,
      isSqlite
        ? ["CREATE TRIGGER broken BEFORE UPDATE OF status ON invoices BEGIN SELECT RAISE(ABORT, 'broken'); END"]
        : [raise, 'CREATE TRIGGER broken BEFORE UPDATE OF status ON invoices FOR EACH ROW EXECUTE FUNCTION broken()'],
    )
    for (const { address } of sold) harness.wallet.pay({ uri: formatPaymentUri({ address, amount: AMOUNT }) })
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

    await run(url, [isSqlite ? 'DROP TRIGGER broken' : 'DROP TRIGGER broken ON invoices'])
    harness.startServices()
    await harness.services.setAsides.makeAllDue()
    while (await harness.services.retryInvoices());
    const statuses = await Promise.all(sold.map(invoice => harness.status(invoice)))
    assert.deepEqual([...new Set(statuses)], ['paid'])
    assert.deepEqual(await harness.services.setAsides.countByKind(), [])
  })
})
