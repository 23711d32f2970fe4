import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { test } from 'node:test'
import { stackOf, temporaryFolder } from '../../../harness/container.ts'
import { readEvents } from '../../../harness/databases.ts'

const CHILD = join(import.meta.dirname, 'crash-child.ts')
/** Exceeds the number of transactions in the scenario. */
const MAX_TRANSACTIONS = 60

/** @returns whether the child completed the scenario before the transaction at which it is killed */
async function runScenario(file: string, killAt: number): Promise<boolean> {
  const child = spawn(process.execPath, [CHILD, file, String(killAt)], {
    stdio: ['ignore', 'ignore', 'inherit'],
    timeout: 30_000,
  })
  const [code, signal] = await once(child, 'exit')
  assert.ok(code === 0 || signal === 'SIGKILL', `the child ended with ${code ?? signal}`)
  return code === 0
}

test('SIGKILL between any two commits: each purchase, payout, plan end and event happens once', async t => {
  const file = join(temporaryFolder(stackOf(t)), 'test.db')

  let deaths = 0
  while (!(await runScenario(file, deaths + 1))) {
    deaths += 1
    assert.ok(deaths < MAX_TRANSACTIONS)
  }
  assert.ok(deaths > 10)

  const database = new DatabaseSync(file, { readOnly: true })
  const count = (table: string) => Number(database.prepare(`SELECT count(*) AS n FROM ${table}`).get()?.n)
  t.after(() => database.close())
  const account = database.prepare("SELECT id, plan FROM accounts WHERE email = 'merchant@example.org'").get()
  assert.equal(account?.plan, 'Free')
  assert.deepEqual(
    readEvents(file, Number(account?.id)).map(({ type, plan, status }) => [type, plan ?? status]),
    [
      ['plan.updated', 'Pro'],
      ['withdrawal.updated', 'deposit_detected'],
      ['withdrawal.updated', 'payout_processing'],
      ['withdrawal.updated', 'completed'],
      ['plan.updated', 'Free'],
    ],
  )
  // The mails: the withdrawal's and the plan's.
  assert.deepEqual([count('plan_purchases'), count('withdrawals'), count('mails')], [1, 1, 2])
  const settled = database.prepare("SELECT count(*) AS n FROM audit_entries WHERE kind = 'withdrawal_settled'").get()
  assert.equal(settled?.n, 1)
})
