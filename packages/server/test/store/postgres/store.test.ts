import { after, before, describe } from 'node:test'
import { postgresEngine } from '../../harness/databases.ts'
import type { TestPostgres } from '../../harness/postgres.ts'
import { findPostgres, NO_POSTGRES, startPostgres } from '../../harness/postgres.ts'
import { storeContract } from '../contract.ts'

const bin = findPostgres()

describe('the store on PostgreSQL', { skip: bin === null && NO_POSTGRES }, () => {
  let server: TestPostgres
  before(async () => {
    server = await startPostgres(bin as string)
  })
  after(() => server.stop())

  storeContract(postgresEngine(() => server))
})
