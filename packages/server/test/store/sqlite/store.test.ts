import { describe } from 'node:test'
import { sqliteEngine } from '../../harness/databases.ts'
import { storeContract } from '../contract.ts'

describe('the store on SQLite', () => storeContract(sqliteEngine))
