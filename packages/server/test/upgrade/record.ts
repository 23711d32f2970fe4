// Records a database as a version writes it, on both engines: node packages/server/test/upgrade/record.ts VERSION [CHECKOUT]
// The fixture is written to the folder `fixtures` beside this file. CHECKOUT is a checkout of that version with its
// dependencies installed; the default is this one.
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { demoViewingKey } from '@zatgate/sandbox/chain/keys'
import { findPostgres, NO_POSTGRES, runProgram, startPostgres } from '../harness/postgres.ts'
import { dumpSqlite, ENGINES, type Engine, FIXTURES, writeFixture } from './fixture.ts'
import type { Installation } from './installation.ts'
import { startReceiver } from './receiver.ts'
import { tellStory } from './story.ts'

/** No secret: fixtures are public. */
const ENCRYPTION_KEY = Buffer.alloc(32, 1).toString('base64')
const SECOND_SEED = new Uint8Array(32).fill(2)

const ROOT = join(import.meta.dirname, '../../../..')

/** @param folder the checkout  @param target the folder of the fixture */
async function record(folder: string, target: string, engine: Engine, bin: string): Promise<void> {
  await using stack = new AsyncDisposableStack()
  const dataDir = mkdtempSync(join(tmpdir(), 'zatgate-record-'))
  stack.defer(() => rmSync(dataDir, { recursive: true, force: true }))
  const receiver = stack.adopt(await startReceiver(), it => it.close())
  let databaseUrl = `sqlite:${join(dataDir, 'zatgate.db')}`
  if (engine === 'postgres')
    databaseUrl = await stack.adopt(await startPostgres(bin), server => server.stop()).freshDatabase()
  let sql = ''
  const backUp = async (at: Installation) => {
    const file = join(dataDir, 'backup.db')
    if (engine === 'sqlite') await at.command('backup', file)
    sql =
      engine === 'sqlite'
        ? dumpSqlite(file)
        : portable(runProgram(bin, 'pg_dump', ['--no-owner', '--no-privileges', '--inserts', databaseUrl]))
  }
  const checkout = { folder, dataDir, databaseUrl, encryptionKey: ENCRYPTION_KEY }
  const facts = await tellStory(checkout, receiver, demoViewingKey(SECOND_SEED), backUp)
  const read = (name: string) => readFileSync(join(dataDir, name), 'utf8')
  writeFixture(target, engine, { sql, chain: read('sandbox-chain.jsonl'), swaps: read('sandbox-swaps.json'), facts })
}

/** Without the commands of psql that its earlier releases do not know, and without headings. */
function portable(dump: string): string {
  return dump
    .replaceAll(/^\\(?:un)?restrict .*\n/gm, '')
    .replaceAll(/^--\n-- .*\n--\n\n/gm, '')
    .replaceAll(/;\n\n+/g, ';\n')
}

const [version, checkout = ROOT] = process.argv.slice(2)
const bin = findPostgres()
if (version === undefined || !/^[\w.-]+$/.test(version)) {
  console.error('usage: node packages/server/test/upgrade/record.ts VERSION [CHECKOUT]')
  process.exitCode = 2
} else if (bin === null) {
  console.error(NO_POSTGRES)
  process.exitCode = 1
} else {
  await Promise.all(
    ENGINES.map(async engine => {
      await record(resolve(checkout), join(FIXTURES, version), engine, bin)
      console.error(`recorded ${version} on ${engine}`)
    }),
  )
}
