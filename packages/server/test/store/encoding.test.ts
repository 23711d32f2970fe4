import assert from 'node:assert/strict'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { test } from 'node:test'
import pg from 'pg'
import { readMigrationState } from '../../src/store/missing-migrations.ts'
import { openStore } from '../../src/store/open.ts'
import { stackOf, temporaryFolder } from '../harness/container.ts'
import { onBothDatabases, onPostgres, openEmptyStore } from '../harness/databases.ts'
import { makeAccount } from '../harness/fixtures.ts'

const TEXTS = [
  'shop@example.org',
  'größe@example.org',
  '店@例え.jp',
  '🛡️@example.org',
  'متجر@example.org',
  '\u{10ffff}@example.org',
]

onPostgres(engine => {
  for (const encoding of ['LATIN1', 'SQL_ASCII', 'WIN1252', 'EUC_JP', 'KOI8R'])
    test(`a database in ${encoding} is refused at the start, and stays empty`, async t => {
      const { url } = await engine.createDatabase(t)
      const admin = new pg.Client(url)
      await admin.connect()
      t.after(() => admin.end())
      const name = `other_${encoding.toLowerCase()}`
      await admin.query(`CREATE DATABASE ${name} TEMPLATE template0 ENCODING '${encoding}' LC_COLLATE 'C' LC_CTYPE 'C'`)
      const other = url.replace(/test_\d+/, name)
      await assert.rejects(openStore(other, { onWait: () => assert.fail('it waits') }), (error: Error) => {
        assert.match(error.message, /^DATABASE_URL: the database at .* cannot be opened: it has the encoding /)
        assert.ok(error.message.includes(`the encoding ${encoding}, which cannot store every text`))
        return true
      })
      assert.equal((await readMigrationState(other)).hasTables, false)
    })
})

onBothDatabases(engine => {
  test('every text is stored as it is', async t => {
    const store = await openEmptyStore(engine, t)
    for (const email of TEXTS) {
      const { id } = await makeAccount(store, email)
      assert.equal((await store.read(tx => tx.accounts.byId(id)))?.email, email)
    }
  })
})

test('a SQLite file in UTF-16 stores every text', async t => {
  const file = join(temporaryFolder(stackOf(t)), 'utf16.db')
  const database = new DatabaseSync(file)
  database.exec("PRAGMA encoding = 'UTF-16le'; CREATE TABLE first (a TEXT)")
  database.close()
  const store = await openStore(`sqlite:${file}`)
  t.after(() => store.close())
  for (const email of TEXTS) {
    const { id } = await makeAccount(store, email)
    assert.equal((await store.read(tx => tx.accounts.byId(id)))?.email, email)
  }
})
