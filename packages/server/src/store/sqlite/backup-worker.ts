import { DatabaseSync } from 'node:sqlite'
import { workerData } from 'node:worker_threads'

const { source, target } = workerData as { source: string; target: string }
const database = new DatabaseSync(source, { readOnly: true, timeout: 5_000 })
database.prepare('VACUUM INTO ?').run(target)
database.close()

// Clears the identity: the service that opens the copy then skips address indexes that may be in use.
const copy = new DatabaseSync(target)
// No journal file beside the copy: an unfinished copy is deleted as a whole.
copy.exec('PRAGMA journal_mode = MEMORY')
// An earlier version records none.
const hasIdentity = copy.prepare("SELECT 1 FROM sqlite_master WHERE name = 'database_origin'").get() !== undefined
if (hasIdentity && copy.prepare("UPDATE database_origin SET identity = ''").run().changes !== 1)
  throw new Error('the copy has no record of its database identity')
copy.close()
