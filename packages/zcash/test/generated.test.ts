import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import { fileURLToPath } from 'node:url'

/** Another version of protoc can encode the same descriptor differently. */
const PROTOC_VERSION = 'libprotoc 3.21.12'
const installed = spawnSync('protoc', ['--version'], { encoding: 'utf8' }).stdout?.trim()

test('the committed light-client code equals the output of protoc', {
  skip: installed === PROTOC_VERSION ? false : `${PROTOC_VERSION} is not installed`,
}, () => {
  const folder = mkdtempSync(join(tmpdir(), 'zcash-generated-'))
  try {
    const script = fileURLToPath(new URL('../scripts/generate.sh', import.meta.url))
    const run = spawnSync('sh', [script, folder], { encoding: 'utf8', timeout: 30_000 })
    assert.equal(run.status, 0, run.stderr)
    const committed = new URL('../src/lightwallet/gen/compact_tx_streamer_pb.ts', import.meta.url)
    assert.equal(readFileSync(join(folder, 'compact_tx_streamer_pb.ts'), 'utf8'), readFileSync(committed, 'utf8'))
  } finally {
    rmSync(folder, { recursive: true })
  }
})
