/** Migrates a database, prints the name of the given migration after it, and goes no further: to be killed there. */
import { writeSync } from 'node:fs'
import type { Migration } from '../../src/store/migrations/index.ts'
import { openDatabase } from '../harness/databases.ts'
import { LATER } from './later-migrations.ts'

const [url = '', last] = process.argv.slice(2)
const migrations = LATER.map(
  ([name, up]): Migration => [
    name,
    async (db, dialect) => {
      await up(db, dialect)
      if (name !== last) return
      writeSync(1, `${name}\n`)
      await new Promise(() => setInterval(() => undefined, 60_000))
    },
  ],
)
await openDatabase(url, { migrations })
