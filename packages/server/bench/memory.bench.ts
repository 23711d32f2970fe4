import { randomBytes } from 'node:crypto'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { startSandbox } from '@zatgate/sandbox/sandbox'
import { openStore } from '../src/store/open.ts'
import { joined } from '../test/harness/service.ts'
import { count, printLine } from './report.ts'
import { startServiceProcess } from './service-process.ts'
import { addShops } from './shops.ts'

const ACCOUNTS = 10_000
const INVOICES_EACH = 10
const GOAL_MB = 400
const IDLE_MS = 10_000

/** Memory use of the whole idle service, where every account has a viewing key in use. */
async function run(): Promise<void> {
  await using stack = new AsyncDisposableStack()
  const folder = mkdtempSync(join(tmpdir(), 'zatgate-bench-'))
  stack.defer(() => rmSync(folder, { recursive: true }))
  const sandbox = stack.adopt(await startSandbox({ foreignPerBlock: 1 }), it => it.close())
  const key = randomBytes(32)
  const databaseUrl = `sqlite:${join(folder, 'zatgate.db')}`
  await addShops(databaseUrl, key, { shops: ACCOUNTS, invoicesEach: INVOICES_EACH })
  const env = {
    DATA_DIR: folder,
    DATABASE_URL: databaseUrl,
    PORT: '0',
    LOG_LEVEL: 'silent',
    ENCRYPTION_KEY: key.toString('base64'),
    ...joined(sandbox),
  }
  const service = await startServiceProcess(env)
  stack.defer(() => service.stop())
  const store = stack.adopt(await openStore(databaseUrl), it => it.close())
  const height = async () => (await store.read(tx => tx.chain.tip()))?.height ?? 0
  while ((await height()) === 0) await sleep(100)
  const startHeight = await height()
  // With all keys: what the service needs for a scan is part of its memory.
  sandbox.chain.mine()
  while ((await height()) === startHeight) await sleep(100)
  await sleep(IDLE_MS)
  const { rssMb, heapMb } = await service.memory()
  const contents = `${count(ACCOUNTS)} accounts and ${count(ACCOUNTS * INVOICES_EACH)} open invoices, SQLite`
  printLine(
    `idle memory with ${contents}: ${rssMb} MB resident, goal < ${GOAL_MB}, ${heapMb} MB of it the main thread's heap`,
  )
}

await run()
