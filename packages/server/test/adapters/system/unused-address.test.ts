import assert from 'node:assert/strict'
import {
  existsSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statfsSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type TestContext, test } from 'node:test'
import { createKeyedHash } from '../../../src/adapters/crypto/keyed-hash.ts'
import { createVault } from '../../../src/adapters/crypto/vault.ts'
import { systemRandom } from '../../../src/adapters/system/random.ts'
import { createUnusedAddressFiles } from '../../../src/adapters/system/unused-address.ts'
import type { UnusedAddresses } from '../../../src/ports/unused-address.ts'
import { recordingLog } from '../../harness/log.ts'
import { ManualClock } from '../../harness/manual-clock.ts'

const MEMORY = '/dev/shm'
const TMPFS = 0x01021994
const OLD_KEY = Buffer.alloc(32, 1)
const NEW_KEY = Buffer.alloc(32, 2)
const DAY_MS = 86_400_000
const ADDRESS = 'uregtest1qqqqqqqqqqqqqqqqqqqq'
const UNUSED: UnusedAddresses[] = [
  { fingerprint: Buffer.alloc(32, 7), addresses: [{ index: 2n ** 62n, address: ADDRESS }] },
  { fingerprint: Buffer.alloc(32, 8), addresses: [1n, 2n].map(index => ({ index, address: `${ADDRESS}${index}` })) },
]

const inMemory = existsSync(MEMORY) && statfsSync(MEMORY).type === TMPFS
const skip = inMemory ? false : 'needs a folder in memory (Linux)'

function harnessOf(t: TestContext, parent = MEMORY) {
  const folder = mkdtempSync(join(parent, 'zatgate-test-'))
  t.after(() => rmSync(folder, { recursive: true, force: true }))
  const clock = new ManualClock(Math.floor(Date.now() / 1000))
  const log = recordingLog()
  const open = (databaseUrl = 'sqlite:/data/zatgate.db', keys: readonly Uint8Array[] = [OLD_KEY]) =>
    createUnusedAddressFiles({
      vault: createVault(keys, systemRandom),
      keyedHash: createKeyedHash(keys),
      random: systemRandom,
      clock,
      log,
      databaseUrl,
      folder,
    })
  const paths = () => readdirSync(folder).map(name => join(folder, name))
  return { folder, clock, log, open, paths }
}

const plain = (all: UnusedAddresses[]) => all.map(({ fingerprint, addresses }) => [[...fingerprint], addresses])

test('what one process keeps, the next one with the same database takes once', { skip }, async t => {
  const { open, paths } = harnessOf(t)
  await open().keep(UNUSED)
  assert.deepEqual(await open('sqlite:/data/other.db').take(), [])
  assert.deepEqual(plain(await open().take()), plain(UNUSED))
  assert.deepEqual(await open().take(), [])
  assert.deepEqual(paths(), [])
})

test('of two processes that start at once, one gets each address', { skip }, async t => {
  const { open, log } = harnessOf(t)
  for (let round = 0; round < 20; round++) {
    await open().keep(UNUSED)
    await open().keep(UNUSED)
    const taken = await Promise.all([1, 2, 3].map(() => open().take()))
    assert.equal(taken.flat().length, 2 * UNUSED.length)
  }
  assert.deepEqual(log.lines, [])
})

test('the files are sealed, readable by their user only, and removed before a damaged one is reported', {
  skip,
}, async t => {
  const { open, paths, log } = harnessOf(t)
  await open().keep(UNUSED)
  const [path] = paths() as [string]
  const bytes = readFileSync(path)
  assert.ok(!bytes.includes(ADDRESS))
  assert.equal(statSync(path).mode & 0o777, 0o600)
  bytes[40]! ^= 1
  writeFileSync(path, bytes)
  assert.deepEqual(await open().take(), [])
  assert.deepEqual(paths(), [])
  assert.deepEqual(
    log.lines.map(({ level }) => level),
    ['warn'],
  )
})

test('a file that was written half is removed and gives nothing', { skip }, async t => {
  const { open, paths } = harnessOf(t)
  for (const length of [0, 3, 20, 60]) {
    await open().keep(UNUSED)
    const [path] = paths() as [string]
    writeFileSync(path, readFileSync(path).subarray(0, length))
    assert.deepEqual(await open().take(), [])
    assert.deepEqual(paths(), [])
  }
})

test('the next process may have another encryption key, if it still has the old one', { skip }, async t => {
  const { open } = harnessOf(t)
  await open(undefined, [OLD_KEY]).keep(UNUSED)
  assert.deepEqual(await open(undefined, [NEW_KEY]).take(), [])
  assert.equal((await open(undefined, [NEW_KEY, OLD_KEY]).take()).length, UNUSED.length)
})

test('a link with the name of a file is not followed', { skip }, async t => {
  const { folder, open, paths } = harnessOf(t)
  await open().keep(UNUSED)
  const [path] = paths() as [string]
  const elsewhere = join(folder, 'elsewhere')
  writeFileSync(elsewhere, readFileSync(path))
  rmSync(path)
  symlinkSync(elsewhere, path)
  assert.deepEqual(await open().take(), [])
})

test('at most 16 files are kept, for a day', { skip }, async t => {
  const { open, paths, clock } = harnessOf(t)
  for (let process = 0; process < 18; process++) await open().keep(UNUSED)
  assert.equal(paths().length, 16)
  clock.advance(DAY_MS / 1000 + 60)
  assert.deepEqual(await open('sqlite:/data/other.db').take(), [])
  assert.deepEqual(paths(), [])
})

test('nothing is kept in a folder on a disk, which can be restored, or in one that does not exist', async t => {
  const onDisk = [tmpdir(), '/var/tmp', import.meta.dirname].find(folder => statfsSync(folder).type !== TMPFS)
  assert.ok(onDisk)
  const { open, paths, folder } = harnessOf(t, onDisk)
  for (const keeper of [open(), open('sqlite::memory:')]) {
    await keeper.keep(UNUSED)
    assert.deepEqual(await keeper.take(), [])
  }
  assert.deepEqual(paths(), [])
  rmSync(folder, { recursive: true })
  await open().keep(UNUSED)
  assert.deepEqual(await open().take(), [])
})
