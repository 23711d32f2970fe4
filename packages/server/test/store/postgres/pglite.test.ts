import { after, before, describe } from 'node:test'
import { pgliteEngine } from '../../harness/databases.ts'
import type { TestPglite } from '../../harness/pglite.ts'
import { startPglite } from '../../harness/pglite.ts'
import { storeContract } from '../contract.ts'

describe('the store on PGlite', () => {
  let pglite: TestPglite
  before(async () => {
    pglite = await startPglite()
  })
  after(() => pglite.stop())

  storeContract(pgliteEngine(() => pglite))
})
