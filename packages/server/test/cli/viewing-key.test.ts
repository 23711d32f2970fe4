import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, test } from 'node:test'
import { runCommand } from '../harness/command-line.ts'
import { testViewingKey } from '../harness/viewing-key.ts'

const dir = mkdtempSync(join(tmpdir(), 'zatgate-cli-'))
after(() => rmSync(dir, { recursive: true, force: true }))

const zatgate = (line: string) => runCommand(line.split(' '), {})

test('a viewing key is read from a file, and a file that holds no key is named', async () => {
  const key = testViewingKey()
  const { out } = await zatgate(`address --viewing-key ${key} --index 0`)
  const file = join(dir, 'key.txt')
  writeFileSync(file, `${key}\n`)
  assert.equal((await zatgate(`address --viewing-key-file ${file} --index 0`)).out, out)
  const both = await zatgate(`address --viewing-key-file ${file} --viewing-key ${key} --index 0`)
  assert.match(both.err, /give either --viewing-key-file or --viewing-key/)
  assert.match((await zatgate('address --index 0')).err, /--viewing-key-file is missing/)
  assert.match(
    (await zatgate('address --viewing-key-file /nowhere --index 0')).err,
    /\/nowhere cannot be read \(ENOENT\)/,
  )
  writeFileSync(file, ' \n')
  assert.match((await zatgate(`address --viewing-key-file ${file} --index 0`)).err, /the key in .*key\.txt is missing/)
  writeFileSync(file, 'u'.repeat(20_000))
  assert.match((await zatgate(`address --viewing-key-file ${file} --index 0`)).err, /more than 16384 bytes/)
})

test('a viewing key is read from standard input', async () => {
  const key = testViewingKey()
  const cli = join(import.meta.dirname, '../../../../bin/main.ts')
  const child = spawn(process.execPath, [cli, 'address', '--viewing-key-file', '-', '--index', '0'])
  child.stdin.end(`${key}\n`)
  const [printed] = await Promise.all([child.stdout.toArray(), once(child, 'exit')])
  assert.equal(Buffer.concat(printed).toString(), (await zatgate(`address --viewing-key ${key} --index 0`)).out)
})
