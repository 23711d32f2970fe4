import { after, before, describe } from 'node:test'
import { pgliteEngine } from '../../harness/databases.ts'
import type { TestPglite } from '../../harness/pglite.ts'
import { startPglite } from '../../harness/pglite.ts'
import { findPostgres } from '../../harness/postgres.ts'
import { storeContract } from '../contract.ts'

/** For machines without PostgreSQL. With it, `store.test.ts` tests the same, in a quarter of the time. */
function testOnPglite(): void {
  let pglite: TestPglite
  before(async () => {
    pglite = await startPglite()
  })
  after(() => pglite.stop())

  storeContract(pgliteEngine(() => pglite))
}

if (findPostgres() === null) describe('the store on PGlite', testOnPglite)
