import { after, before, describe } from 'node:test'
import type { TestPglite } from '../../support/pglite.ts'
import { startPglite } from '../../support/pglite.ts'
import { storeContract } from '../contract.ts'
import { pgliteEngine } from '../databases.ts'

describe('the store on PGlite', () => {
  let pglite: TestPglite
  before(async () => {
    pglite = await startPglite()
  })
  after(() => pglite.stop())

  storeContract(pgliteEngine(() => pglite))
})
