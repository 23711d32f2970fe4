import { randomBytes, randomUUID } from 'node:crypto'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { startSandbox } from '@zatgate/sandbox/sandbox'
import { createVault } from '../src/adapters/crypto/vault.ts'
import { systemRandom } from '../src/adapters/system/random.ts'
import type { Store } from '../src/ports/store.ts'
import { openStore } from '../src/store/open.ts'
import { joined } from '../test/harness/service.ts'
import { measureMemory } from './memory-service.ts'
import { count, printLine } from './report.ts'

const ACCOUNTS = 10_000
const INVOICES_EACH = 10
const GOAL_MB = 400
const CONCURRENCY = 100

/** Memory use of the whole idle service, where every account has a viewing key in use. */
async function run(): Promise<void> {
  await using stack = new AsyncDisposableStack()
  const folder = mkdtempSync(join(tmpdir(), 'zatgate-bench-'))
  stack.defer(() => rmSync(folder, { recursive: true }))
  const sandbox = stack.adopt(await startSandbox({ foreignPerBlock: 1 }), it => it.close())
  const key = randomBytes(32)
  await fill(`sqlite:${join(folder, 'zatgate.db')}`, key)
  const env = {
    DATA_DIR: folder,
    DATABASE_URL: `sqlite:${join(folder, 'zatgate.db')}`,
    PORT: '0',
    LOG_LEVEL: 'silent',
    ENCRYPTION_KEY: key.toString('base64'),
    ...joined(sandbox),
  }
  const { rssMb, heapMb } = await measureMemory(env, () => sandbox.chain.mine())
  const contents = `${count(ACCOUNTS)} accounts and ${count(ACCOUNTS * INVOICES_EACH)} open invoices, SQLite`
  printLine(
    `idle memory with ${contents}: ${rssMb} MB resident, goal < ${GOAL_MB}, ${heapMb} MB of it the main thread's heap`,
  )
}

async function fill(url: string, key: Uint8Array): Promise<void> {
  const store = await openStore(url)
  const vault = createVault([key], systemRandom)
  const now = Math.floor(Date.now() / 1000)
  const seal = (id: number) => vault.seal(randomIncoming(), { table: 'viewing_keys', column: 'sealed', row: id })
  const numbers = Array.from({ length: ACCOUNTS }, (_, number) => number)
  for (let from = 0; from < ACCOUNTS; from += CONCURRENCY)
    await Promise.all(numbers.slice(from, from + CONCURRENCY).map(number => addShop(store, number, now, seal)))
  await store.close()
}

async function addShop(store: Store, number: number, now: number, seal: (id: number) => Uint8Array): Promise<void> {
  const draft = {
    publicId: randomUUID(),
    email: `shop${number}@example.org`,
    network: 'regtest',
    plan: 'Business',
  } as const
  const key = { fingerprint: randomBytes(32), network: 'regtest', createdAt: now, firstIndex: 1n } as const
  await store.write(async tx => {
    const account = await tx.accounts.insert({ ...draft, confirmations: 3, createdAt: now })
    const { id: viewingKeyId } = await tx.viewingKeys.findOrInsert(key, seal)
    await tx.accounts.setViewingKey(account!.id, viewingKeyId)
    await tx.viewingKeys.extendWatch(viewingKeyId, now + 86_400)
    for (let index = 0; index < INVOICES_EACH; index++)
      await tx.invoices.insert({
        publicId: randomUUID(),
        accountId: account!.id,
        viewingKeyId,
        diversifierIndex: BigInt(index),
        purpose: 'sale',
        address: `uregtest1${'q'.repeat(105)}`,
        amountZat: 150_000_000n,
        confirmations: 3,
        createdAt: now,
        expiresAt: now + 86_400,
        watchUntil: now + 8 * 86_400,
      })
  })
}

/** A random dk ‖ ivk. */
function randomIncoming(): Uint8Array {
  const bytes = new Uint8Array(randomBytes(64))
  bytes[63] = 1
  return bytes
}

await run()
