/** Migrates a database, prints the name of the given migration after it, and goes no further: to be killed there. */
import { writeSync } from 'node:fs'
import type { Migration } from '../../src/store/migrations/index.ts'
import { openDatabase } from '../harness/databases.ts'
import { LATER } from './later-migrations.ts'

const [url = '', last] = process.argv.slice(2)
const migrations = LATER.map(
  ([name, statements]): Migration => [
    name,
    function* (dialect) {
      yield* statements(dialect)
      if (name !== last) return
      writeSync(1, `${name}\n`)
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0)
    },
  ],
)
await openDatabase(url, { migrations })
