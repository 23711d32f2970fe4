import { DatabaseSync } from 'node:sqlite'
import { workerData } from 'node:worker_threads'

const { source, target } = workerData as { source: string; target: string }
const database = new DatabaseSync(source, { readOnly: true, timeout: 5_000 })
database.prepare('VACUUM INTO ?').run(target)
database.close()

// The copy is not the database that its address counters belong to: the service that opens it moves them on.
const copy = new DatabaseSync(target)
// No journal beside the copy: one that is not finished is thrown away as a whole.
copy.exec('PRAGMA journal_mode = MEMORY')
const { changes } = copy.prepare("UPDATE database_origin SET identity = ''").run()
if (changes !== 1) throw new Error('the copy has no record of its origin')
copy.close()
