import assert from 'node:assert/strict'
import { readdirSync } from 'node:fs'
import { type TestContext, test } from 'node:test'
import { rehearse } from '../src/rehearsal.ts'
import { openTestContainer, stackOf, temporaryFolder } from './harness/container.ts'
import { recordingLog } from './harness/log.ts'
import { createPlainNoteScanner } from './harness/plain-note-scanner.ts'

/** An infrastructure with a silent chain, whose scanner's calls are recorded. */
async function prepare(t: TestContext) {
  const calls: string[] = []
  const log = recordingLog()
  const noteScanner = {
    ...createPlainNoteScanner(),
    deriveAddresses: async (_incoming: Uint8Array, _network: string, from: bigint, count: number) => {
      calls.push('deriveAddresses')
      return Array.from({ length: count }, (_, offset) => `address ${from + BigInt(offset)}`)
    },
    close: async () => void calls.push('close'),
  }
  const { infrastructure } = await openTestContainer(t, { noteScanner, log })
  return { infrastructure, calls, log }
}

/** Makes a folder the one for temporary files. */
function useTemporaryFolder(t: TestContext, folder: string): void {
  const { TMPDIR } = process.env
  process.env.TMPDIR = folder
  t.after(() => {
    if (TMPDIR === undefined) delete process.env.TMPDIR
    else process.env.TMPDIR = TMPDIR
  })
}

test('a rehearsal creates invoices with the scanner, none of them in the real database, and leaves no file', async t => {
  const { infrastructure, calls, log } = await prepare(t)
  const folder = temporaryFolder(stackOf(t))
  const metrics = await infrastructure.registry.metrics()
  useTemporaryFolder(t, folder)
  await rehearse(infrastructure)
  const [line, ...others] = log.lines
  assert.equal(line?.level, 'debug')
  assert.ok((line.details.requests as number) >= 64)
  assert.deepEqual(others, [])
  assert.deepEqual(new Set(calls), new Set(['deriveAddresses']))
  assert.deepEqual(readdirSync(folder), [])
  assert.deepEqual(await infrastructure.store.read(tx => tx.viewingKeys.list()), [])
  assert.equal(await infrastructure.store.read(tx => tx.accounts.byEmail('rehearsal@localhost')), null)
  assert.equal(await infrastructure.registry.metrics(), metrics)
})

test('a rehearsal that fails only says so', async t => {
  const { infrastructure, log } = await prepare(t)
  useTemporaryFolder(t, '/no/such/folder')
  await rehearse(infrastructure)
  assert.deepEqual(
    log.lines.map(({ level }) => level),
    ['warn'],
  )
})
