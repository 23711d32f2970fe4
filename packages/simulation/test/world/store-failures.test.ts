import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Scheduler } from '../../src/runtime/scheduler.ts'
import type { StoreStep } from '../../src/store/hooks.ts'
import { createStoreHooks, NO_FAILURES } from '../../src/world/store-failures.ts'

const owner = { name: 'process 1', alive: true }

function createHooks() {
  const scheduler = new Scheduler(1, 0)
  scheduler.switchRate = 0
  const failures = { ...NO_FAILURES }
  let failed = 0
  const hooks = createStoreHooks(
    scheduler,
    failures,
    () => {},
    () => {
      failed += 1
    },
  )
  const passed: string[] = []
  const send = async (sql: string) => {
    const step: StoreStep = { process: owner, kind: 'statement', sql }
    await hooks.before(step)
    passed.push(sql)
  }
  return { scheduler, failures, hooks, passed, send, failed: () => failed }
}

test('late writes to a table are overtaken by reads and by writes to other tables', async () => {
  const { scheduler, failures, passed, send, failed } = createHooks()
  failures.late = { table: 'invoices', ms: 1_000, count: 1 }
  const late = send('UPDATE "invoices" SET status = $1')
  await Promise.all(['SELECT * FROM invoices', 'INSERT INTO payments VALUES ($1)', 'DELETE FROM invoices'].map(send))
  assert.deepEqual(passed, ['SELECT * FROM invoices', 'INSERT INTO payments VALUES ($1)', 'DELETE FROM invoices'])
  assert.equal(failures.late, null)
  scheduler.advance(1_000)
  await Promise.all([late, scheduler.run()])
  assert.equal(passed.at(-1), 'UPDATE "invoices" SET status = $1')
  assert.equal(failed(), 1)
})

test('a single commit fails before it, or after it', async () => {
  const { failures, hooks, failed } = createHooks()
  const commit: StoreStep = { process: owner, kind: 'commit' }
  Object.assign(failures, { next: 'commit', nextIn: 1 })
  await hooks.before(commit)
  await assert.rejects(hooks.before(commit) as Promise<void>, /disk I\/O error/)
  await hooks.before(commit)
  failures.next = 'unknown'
  failures.nextIn = 0
  await hooks.before(commit)
  await assert.rejects(hooks.after(commit) as Promise<void>, /disk I\/O error/)
  assert.equal(failed(), 2)
})
