import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { DatabaseSync } from 'node:sqlite'
import type { TestContext } from 'node:test'
import { test } from 'node:test'
import { setImmediate as nextTurn } from 'node:timers/promises'
import type { WorkWatch } from '../../../src/ports/progress.ts'
import type { StoreOptions } from '../../../src/store/open.ts'
import { backupDatabase, openStore } from '../../../src/store/open.ts'
import { stackOf, temporaryFolder } from '../../harness/container.ts'
import { makeAccount, openShop } from '../../harness/fixtures.ts'

const tempFolder = (t: TestContext): string => temporaryFolder(stackOf(t))

async function openFile(t: TestContext, path: string, options?: StoreOptions) {
  const store = await openStore(`sqlite:${path}`, options)
  t.after(() => store.close())
  return store
}

test('every acknowledged write survives when the process is killed during commits', async t => {
  const path = join(tempFolder(t), 'zatgate.db')
  const acknowledged: number[] = []
  for (let round = 0; round < 3; round++) {
    const script = join(import.meta.dirname, 'crash-writer.ts')
    const writer = spawn(process.execPath, [script, path, `${round * 1_000_000}`], {
      stdio: ['ignore', 'pipe', 'inherit'],
    })
    const exited = once(writer, 'exit')
    let lines = 0
    for await (const line of createInterface({ input: writer.stdout })) {
      acknowledged.push(Number(line.split(' ')[0]))
      if (++lines === 100 + 37 * round) writer.kill('SIGKILL')
    }
    await exited
  }
  const store = await openFile(t, path)
  await store.close()
  const database = new DatabaseSync(path)
  const written = database.prepare("SELECT created_at - 1800000000 AS number FROM events WHERE type = 'test'").all()
  const stored = new Set(written.map(row => Number(row.number)))
  assert.deepEqual(
    acknowledged.filter(number => !stored.has(number)),
    [],
  )
  assert.ok(acknowledged.length >= 300)
  // Each use case is complete: the counter equals the number of events.
  const whole = database.prepare('SELECT sum(used) = (SELECT count(*) FROM events) AS whole FROM monthly_usage').get()
  assert.equal(whole?.whole, 1)
  assert.deepEqual(
    database
      .prepare('PRAGMA integrity_check')
      .all()
      .map(row => row.integrity_check),
    ['ok'],
  )
  database.close()
})

test('the file and its folder are created with access for the owner only', async t => {
  const path = join(tempFolder(t), 'data', 'zatgate.db')
  await openFile(t, path)
  for (const name of readdirSync(join(path, '..'))) {
    assert.equal(statSync(join(path, '..', name)).mode & 0o777, 0o600, name)
  }
  assert.equal(statSync(join(path, '..')).mode & 0o777, 0o700)
})

test('a database URL that names no database is refused', async () => {
  for (const url of ['', 'mysql://x', 'sqlite:', 'sqlite::memory:', '/data/zatgate.db']) {
    await assert.rejects(openStore(url), /sqlite:<path>/, url)
  }
})

test('while another process holds the write lock, writes wait, and neither reads nor the process are blocked', async t => {
  const path = join(tempFolder(t), 'zatgate.db')
  const store = await openFile(t, path)
  const account = await makeAccount(store)
  const other = new DatabaseSync(path)
  other.exec('BEGIN IMMEDIATE')
  let written = false
  const write = store
    .write(tx => tx.accounts.setTerms(account.id, { confirmations: 9, toleranceBps: 0 }))
    .then(() => {
      written = true
    })
  for (let turn = 0; turn < 100; turn++) await nextTurn()
  assert.deepEqual(await store.read(tx => tx.accounts.list(0, 100)), [account])
  assert.equal(written, false)
  other.exec('COMMIT')
  other.close()
  await write
  assert.equal((await store.read(tx => tx.accounts.byId(account.id)))?.confirmations, 9)
})

test('a write lock that is never released makes writes fail with `unavailable` after the time limit', async t => {
  const path = join(tempFolder(t), 'zatgate.db')
  const store = await openFile(t, path, { limits: { lockTimeoutMs: 20 } })
  const other = new DatabaseSync(path)
  other.exec('BEGIN IMMEDIATE')
  await assert.rejects(makeAccount(store), { kind: 'unavailable', code: 'database_unavailable' })
  other.exec('ROLLBACK')
  other.close()
  await makeAccount(store)
})

test('a read sees one snapshot, regardless of commits during the read', async t => {
  const store = await openFile(t, join(tempFolder(t), 'zatgate.db'))
  const account = await makeAccount(store)
  await store.read(async tx => {
    const before = await tx.accounts.list(0, 100)
    await store.write(inner => inner.accounts.setTerms(account.id, { confirmations: 9, toleranceBps: 0 }))
    assert.deepEqual(await tx.accounts.list(0, 100), before)
  })
  assert.equal((await store.read(tx => tx.accounts.byId(account.id)))?.confirmations, 9)
})

test('a backup taken during writes is complete and private, and contains every write acknowledged before', async t => {
  const folder = tempFolder(t)
  const store = await openFile(t, join(folder, 'zatgate.db'))
  const shop = await openShop(store)
  const before = await Promise.all(Array.from({ length: 200 }, () => shop.sell()))
  let stop = false
  const writer = (async () => {
    while (!stop) await shop.sell()
  })()
  const copies = join(folder, 'copies')
  mkdirSync(copies)
  const file = join(copies, 'copy.db')
  await backupDatabase(`sqlite:${join(folder, 'zatgate.db')}`, file)
  stop = true
  await writer
  assert.equal(statSync(file).mode & 0o777, 0o600)
  assert.deepEqual(readdirSync(copies), ['copy.db'])
  const copy = await openFile(t, file)
  const ids = before.map(invoice => invoice.id)
  assert.deepEqual(await copy.read(tx => tx.invoices.byIds(ids)), before)
})

test('a backup reports its bytes, and one that is stopped leaves no file', async t => {
  const folder = tempFolder(t)
  const path = join(folder, 'zatgate.db')
  await openFile(t, path)
  const backup = (name: string, watch: WorkWatch) => backupDatabase(`sqlite:${path}`, join(copies, name), watch)
  const filler = new DatabaseSync(path)
  filler.exec('CREATE TABLE filler (data BLOB); INSERT INTO filler VALUES (randomblob(12000000))')
  filler.close()
  const copies = join(folder, 'copies')
  mkdirSync(copies)
  const stop = new AbortController()
  const reports: [done: number, total: number][] = []
  const onProgress = (done: number, total: number) => {
    reports.push([done, total])
    stop.abort(new Error('stopped'))
  }
  await assert.rejects(backup('stopped.db', { onProgress, signal: stop.signal }), /^Error: stopped$/)
  assert.deepEqual(readdirSync(copies), [])
  reports.length = 0
  await backup('whole.db', { onProgress })
  assert.deepEqual(readdirSync(copies), ['whole.db'])
  assert.ok(reports.length >= 2)
  for (const [done, total] of reports) assert.ok(done > 0 && done <= total && total > 12_000_000, `${done} of ${total}`)
})

test('a backup overwrites no file', async t => {
  const folder = tempFolder(t)
  const source = join(folder, 'zatgate.db')
  await openFile(t, source)
  const file = join(folder, 'copy.db')
  writeFileSync(file, 'precious')
  await assert.rejects(backupDatabase(`sqlite:${source}`, file), { kind: 'conflict', code: 'file_exists' })
  assert.equal(readFileSync(file, 'utf8'), 'precious')
  assert.equal(existsSync(`${file}.partial`), false)
})
