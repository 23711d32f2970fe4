import { copyFileSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, describe, type TestContext } from 'node:test'
import { DEFAULT_LIMITS } from '@zatgate/server/store/limits'
import { MIGRATIONS } from '@zatgate/server/store/migrations/index'
import { openPostgresStore } from '@zatgate/server/store/postgres/store'
import type { DatabaseEngine } from '../../../../server/test/harness/databases.ts'
import { storeContract } from '../../../../server/test/store/contract.ts'
import { migrationSuite } from '../../../../server/test/store/migrations/migration.suite.ts'
import { openPostgresServer } from '../../../src/store/postgres/server.ts'

const folder = mkdtempSync(join(tmpdir(), 'zatgate-simulated-'))
after(() => rmSync(folder, { recursive: true, force: true }))

/** A migrated file to copy. Migrating takes longer than most tests. */
const template = join(folder, 'template.db')
const templateServer = await openPostgresServer(template)
templateServer.close()

let files = 0

/** @param migrated whether a new database has all tables */
function simulatedEngine(name: DatabaseEngine['name'], migrated: boolean): DatabaseEngine {
  return {
    name,
    async createDatabase(test: TestContext) {
      const file = join(folder, `${++files}.db`)
      if (migrated) copyFileSync(template, file)
      const server = await openPostgresServer(file, migrated ? MIGRATIONS : [])
      test.after(() => server.close())
      let processes = 0
      return {
        url: '',
        async open(options = {}) {
          const process = { name: `process ${++processes}`, alive: true }
          const limits = { ...DEFAULT_LIMITS, ...options.limits }
          const onError = options.onError ?? ((error: unknown) => console.error('store error', error))
          const source = server.source(process, limits)
          const { migrations = MIGRATIONS, migration } = options
          const store = await openPostgresStore(source, migrations, limits, onError, migration)
          test.after(() => store.close())
          return store
        },
        async events(accountId) {
          const sql = 'SELECT body FROM events WHERE account_id = ? AND body IS NOT NULL ORDER BY seq'
          return server.committed<{ body: string }>(sql, accountId).map(({ body }) => JSON.parse(body))
        },
        dump: () => Promise.reject(new Error('the simulated server dumps nothing')),
      }
    },
  }
}

describe('the store on the simulated PostgreSQL', () => storeContract(simulatedEngine('PostgreSQL', true)))
describe('migrations of an empty simulated PostgreSQL', () => migrationSuite(simulatedEngine('PGlite', false)))
