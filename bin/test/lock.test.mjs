import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, utimesSync, writeFileSync } from 'node:fs'
import { hostname, tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, beforeEach, test } from 'node:test'
import { fileURLToPath } from 'node:url'
import { withLock } from '../launcher/lock.mjs'

const WORKER = fileURLToPath(new URL('fixtures/locked-work.mjs', import.meta.url))
let folder
let lock
let log

before(() => {
  folder = mkdtempSync(join(tmpdir(), 'zatgate-lock-'))
})
beforeEach(() => {
  lock = join(folder, '.lock')
  log = join(folder, 'log')
  rmSync(lock, { recursive: true, force: true })
  rmSync(log, { force: true })
})
after(() => rmSync(folder, { recursive: true }))

async function work(mode = 'live') {
  const child = spawn(process.execPath, [WORKER, lock, log, mode], { stdio: 'ignore' })
  const [code, signal] = await once(child, 'exit')
  return code ?? signal
}

function logged() {
  return readFileSync(log, 'utf8').trim().split('\n')
}

test('one process at a time holds the lock, and the lock is removed afterwards', async () => {
  assert.deepEqual(await Promise.all([work(), work(), work(), work()]), [0, 0, 0, 0])
  const lines = logged()
  assert.equal(lines.length, 8)
  for (let i = 0; i < lines.length; i += 2) {
    assert.equal(lines[i + 1], lines[i].replace('in', 'out'), 'each holder releases before the next acquires')
  }
  assert.equal(existsSync(lock), false)
})

test('a lock whose holder was killed is taken over by one process at a time', async () => {
  assert.equal(await work('die'), 'SIGKILL')
  assert.equal(existsSync(lock), true)
  assert.deepEqual(await Promise.all([work(), work(), work()]), [0, 0, 0])
  const lines = logged().slice(1)
  for (let i = 0; i < lines.length; i += 2) assert.equal(lines[i + 1], lines[i].replace('in', 'out'))
})

test('the lock stays held while a named holder is running, and waiting for it times out', async () => {
  const holder = spawn(process.execPath, ['-e', 'process.stdin.resume()'], { stdio: ['pipe', 'ignore', 'ignore'] })
  mkdirSync(lock)
  writeFileSync(join(lock, `${hostname()}+${holder.pid}`), '')
  await assert.rejects(
    withLock(lock, () => assert.fail('the lock was acquired'), { waitMs: 0 }),
    /remove .*\.lock and try again/,
  )
  holder.stdin.end()
  await once(holder, 'exit')
  assert.equal(await withLock(lock, async () => 'acquired', { waitMs: 0 }), 'acquired')
})

test('an entry of another host, or with a reused process id, expires after ten minutes', async () => {
  for (const name of ['elsewhere+1', `${hostname()}+${process.ppid}`]) {
    mkdirSync(lock)
    writeFileSync(join(lock, name), '')
    const now = Date.now() / 1000
    utimesSync(join(lock, name), now, now - 590)
    await assert.rejects(withLock(lock, () => assert.fail('the lock was acquired'), { waitMs: 0 }))
    utimesSync(join(lock, name), now, now - 601)
    assert.equal(await withLock(lock, async () => 'acquired', { waitMs: 0 }), 'acquired')
  }
})

test('an error in the work is rethrown and releases the lock', async () => {
  await assert.rejects(
    withLock(lock, async ({ alsoHeldBy }) => {
      alsoHeldBy(process.ppid)
      throw new Error('no disk')
    }),
    /no disk/,
  )
  assert.equal(existsSync(lock), false)
})
