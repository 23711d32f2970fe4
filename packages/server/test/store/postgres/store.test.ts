import { describePostgres, postgresEngine } from '../../harness/databases.ts'
import { storeContract } from '../contract.ts'

describePostgres('the store on PostgreSQL', server => storeContract(postgresEngine(server)))
