import { describe } from 'node:test'
import { storeContract } from '../contract.ts'
import { sqliteEngine } from '../databases.ts'

describe('the store on SQLite', () => storeContract(sqliteEngine))
