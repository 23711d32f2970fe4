import { after, before, describe } from 'node:test'
import type { TestPostgres } from '../../support/postgres.ts'
import { findPostgres, NO_POSTGRES, startPostgres } from '../../support/postgres.ts'
import { storeContract } from '../contract.ts'
import { postgresEngine } from '../databases.ts'

const bin = findPostgres()

describe('the store on PostgreSQL', { skip: bin === null && NO_POSTGRES }, () => {
  let server: TestPostgres
  before(async () => {
    server = await startPostgres(bin as string)
  })
  after(() => server.stop())

  storeContract(postgresEngine(() => server))
})
