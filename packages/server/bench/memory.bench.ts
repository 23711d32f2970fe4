import { randomBytes } from 'node:crypto'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { startSandbox } from '@zatgate/sandbox/sandbox'
import { joined } from '../test/harness/service.ts'
import { measureMemory } from './memory-service.ts'
import { count, printLine } from './report.ts'
import { addShops } from './shops.ts'

const ACCOUNTS = 10_000
const INVOICES_EACH = 10
const GOAL_MB = 400

/** Memory use of the whole idle service, where every account has a viewing key in use. */
async function run(): Promise<void> {
  await using stack = new AsyncDisposableStack()
  const folder = mkdtempSync(join(tmpdir(), 'zatgate-bench-'))
  stack.defer(() => rmSync(folder, { recursive: true }))
  const sandbox = stack.adopt(await startSandbox({ foreignPerBlock: 1 }), it => it.close())
  const key = randomBytes(32)
  await addShops(`sqlite:${join(folder, 'zatgate.db')}`, key, { shops: ACCOUNTS, invoicesEach: INVOICES_EACH })
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

await run()
