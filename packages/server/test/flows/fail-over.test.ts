import assert from 'node:assert/strict'
import { describe, type TestContext, test } from 'node:test'
import type { Container } from '../../src/container.ts'
import { ReadOnlyDatabaseError } from '../../src/domain/error.ts'
import type { Invoice, InvoiceStatus } from '../../src/domain/sale/invoice.ts'
import { startTestApi } from '../harness/api.ts'
import { openTestContainer } from '../harness/container.ts'
import { NOW, openShop } from '../harness/fixtures.ts'
import { type KeyMerchant, openMerchant } from '../harness/merchant.ts'
import { testOutbox } from '../harness/outbox.ts'
import { findPostgres, NO_POSTGRES, runProgram, startPostgres } from '../harness/postgres.ts'
import { startReplicatedDatabase } from '../harness/standby.ts'
import { until } from '../harness/until.ts'
import { subscribe } from '../harness/websocket-client.ts'

/** More rows than a sequence numbers without a record in the WAL, so that the standby gives some of the ids again. */
const LOST = 40

/** Without the repair, a message or the end of a connection never comes. */
const LIMIT = { timeout: 60_000 }

const merchant = ({ services, infrastructure }: Container, seed: number) =>
  openMerchant(services, infrastructure.noteScanner, seed)

/** The database goes back to an earlier state of itself under the process. */
interface GoingBack {
  /** The last moment that is kept. */
  keep(): Promise<void>
  /** @param survivor a merchant that the database keeps */
  goBack(survivor: KeyMerchant): Promise<void>
}

/**
 * Merchants sell, the database loses them, and others get their row ids: each invoice of a new
 * merchant has an address of that merchant.
 */
async function sellThroughGoingBack(t: TestContext, databaseUrl: string, database: GoingBack): Promise<void> {
  const running = await openTestContainer(t, { databaseUrl })
  const { addresses, scanKeys } = running.services
  await addresses.start()
  const survivor = await merchant(running, 1)
  const before = await survivor.sell()
  await database.keep()

  const lost: KeyMerchant[] = []
  for (let number = 0; number < LOST; number++) lost.push(await merchant(running, 2 + number))
  for (const { owns, sell } of lost) assert.ok(owns(await sell()))
  assert.equal((await scanKeys.all()).keys.length, 1 + LOST)
  await database.goBack(survivor)

  const later = [await until('a writable database', () => merchant(running, 100).catch(() => null))]
  for (let number = 1; number < LOST; number++) later.push(await merchant(running, 100 + number))
  const lostIds = new Set(lost.map(({ account }) => account.viewingKeyId))
  assert.ok(
    later.some(({ account }) => lostIds.has(account.viewingKeyId)),
    'no row id was given again',
  )
  for (const { owns, sell } of later) for (let sold = 0; sold < 3; sold++) assert.ok(owns(await sell()))
  const keyOf = ({ account, incoming }: KeyMerchant) => ({ id: account.viewingKeyId, incoming: hex(incoming) })
  const scanned = (await scanKeys.all()).keys.map(({ id, incoming }) => ({ id, incoming: hex(incoming) }))
  assert.deepEqual(scanned, [survivor, ...later].map(keyOf))

  for (const { sell } of lost) await assert.rejects(sell(), { code: 'database_unavailable' })
  const again = await survivor.sell()
  assert.ok(survivor.owns(again))
  assert.notEqual(again.address, before.address)
}

function hex(bytes: Uint8Array): string {
  return Buffer.from(bytes).toString('hex')
}

const bin = findPostgres()

describe('invoices have addresses of their own merchants', { skip: bin === null && NO_POSTGRES }, () => {
  test('after a standby was promoted under a running process', async t => {
    const database = await startReplicatedDatabase(t)
    await sellThroughGoingBack(t, database.url, {
      keep: () => database.cutOff(),
      goBack: survivor =>
        database.failOver(async () => {
          await until('the read-only standby', () =>
            survivor.sell().catch(error => error instanceof ReadOnlyDatabaseError),
          )
        }),
    })
  })

  test('after a dump was restored under a running process', async t => {
    const server = await startPostgres(bin as string)
    t.after(() => server.stop())
    const url = await server.freshDatabase()
    let dump = ''
    await sellThroughGoingBack(t, url, {
      async keep() {
        dump = runProgram(bin as string, 'pg_dump', ['--clean', url])
      },
      async goBack() {
        runProgram(bin as string, 'psql', ['--quiet', '--set=ON_ERROR_STOP=1', '--dbname', url], dump)
      },
    })
  })
})

describe('WebSockets', { skip: bin === null && NO_POSTGRES }, () => {
  test('follow their own invoices after a standby was promoted under a running process', LIMIT, async t => {
    const database = await startReplicatedDatabase(t)
    const api = await startTestApi({ databaseUrl: database.url, billing: false })
    t.after(() => api.close())
    const { store } = api
    const change = (invoices: readonly Invoice[], status: InvoiceStatus) =>
      store.write(async tx => {
        await tx.invoices.updateStates(invoices.map(invoice => ({ ...invoice, status, receivedZat: 5_000n })))
        const ids = invoices.map(({ id }) => id)
        await testOutbox.invoicesChanged(tx, ids, NOW + (status === 'paid' ? 60 : 0))
      })
    const shop = await openShop(store)
    const kept = await shop.sell()
    await change([kept], 'pending')
    await database.cutOff()
    const lost: Invoice[] = []
    for (let number = 0; number < LOST; number++) lost.push(await shop.sell())
    const client = subscribe(api.url, kept.publicId)
    const lostClients = lost.map(({ publicId }) => subscribe(api.url, publicId))
    for (const { message } of [client, ...lostClients]) assert.equal(await message(0), '{"status":"pending"}')
    await change([...lost, kept], 'detected')
    for (const { message } of [client, ...lostClients])
      assert.equal(await message(1), '{"status":"detected","confirmations":0}')

    await database.failOver()
    const later = [await until('the new primary', () => shop.sell().catch(() => null))]
    for (let number = 1; number < LOST; number++) later.push(await shop.sell())
    const lostIds = new Set(lost.map(({ id }) => id))
    assert.ok(
      later.some(({ id }) => lostIds.has(id)),
      'no row id was given again',
    )
    await change([...later, kept], 'paid')
    assert.equal(await client.closed, 1000)
    assert.equal(client.messages.at(-1), '{"status":"paid"}')
    for (const { closed, messages } of lostClients) {
      assert.equal(await closed, 1001)
      assert.deepEqual(messages, ['{"status":"pending"}', '{"status":"detected","confirmations":0}'])
    }
  })
})
