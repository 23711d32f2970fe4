import assert from 'node:assert/strict'
import { readdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { type TestContext, test } from 'node:test'
import { spawnGuarded } from '../../../../sandbox/test/recorded/guarded-process.ts'
import { formatProcess } from '../../../src/store/process.ts'
import { processHolding, takeProcessLock } from '../../../src/store/sqlite/process-lock.ts'
import { stackOf, temporaryFolder } from '../../harness/container.ts'

const lockedFile = (t: TestContext): string => join(temporaryFolder(stackOf(t)), 'zatgate.db')

const first = { name: 'process 7 on host', encryptionKeyIds: ['0a0b0c0d', '01020304'] }
const second = { name: 'process 8 on host', encryptionKeyIds: [] }

/** Starts a process that holds the lock until it is killed. */
async function holdElsewhere(t: TestContext, path: string) {
  const lock = join(import.meta.dirname, '../../../src/store/sqlite/process-lock.ts')
  const script = `const { takeProcessLock } = await import(${JSON.stringify(lock)})
    globalThis.lock = takeProcessLock(${JSON.stringify(path)}, { name: 'process ' + process.pid, encryptionKeyIds: [] }, 'stop it')
    console.log('held')
    setInterval(() => {}, 60_000)`
  const holder = spawnGuarded(process.execPath, ['--input-type=module', '--eval', script])
  t.after(() => holder.kill())
  await new Promise(resolve => holder.child.stdout!.once('data', resolve))
  return holder
}

test('a second lock on a file is refused and names the holder, also within one process and through a link', t => {
  const path = lockedFile(t)
  writeFileSync(path, '')
  const lock = takeProcessLock(path, first, 'stop it')
  assert.throws(() => takeProcessLock(path, second, 'stop it'), { message: `process 7 on host uses ${path}: stop it` })
  symlinkSync(path, `${path}.link`)
  assert.throws(() => takeProcessLock(`${path}.link`, second, 'stop it'), /^Error: process 7 on host uses/)
  assert.deepEqual(processHolding(path), first)
  assert.ok(formatProcess(first).length < 63)
  lock.release()
  assert.equal(processHolding(path), null)
  takeProcessLock(path, second, 'stop it').release()
})

test('the lock of a killed process is free, whatever its files say', async t => {
  const path = lockedFile(t)
  const holder = await holdElsewhere(t, path)
  assert.throws(() => takeProcessLock(path, second, 'stop it'), {
    message: `process ${holder.child.pid} uses ${path}: stop it`,
  })
  await holder.kill('SIGKILL')
  assert.equal(readdirSync(join(path, '..')).length, 2)
  assert.equal(processHolding(path), null)
  takeProcessLock(path, second, 'stop it').release()
})

test('a holder whose description is missing is reported without it', t => {
  const path = lockedFile(t)
  const lock = takeProcessLock(path, first, 'stop it')
  rmSync(`${path}.process`)
  assert.throws(() => takeProcessLock(path, second, 'stop it'), { message: `another process uses ${path}: stop it` })
  lock.release()
})
