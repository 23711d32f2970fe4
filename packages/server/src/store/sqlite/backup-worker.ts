import { backup, DatabaseSync } from 'node:sqlite'
import { parentPort, workerData } from 'node:worker_threads'
import type { BackupOrder, BackupProgress } from './backup.ts'

/** 4 MB with SQLite's usual pages. */
const PAGES_PER_STEP = 1_000

const { source, target, stop } = workerData as BackupOrder
const database = new DatabaseSync(source, { readOnly: true, timeout: 5_000 })
const { page_size: pageBytes } = database.prepare('PRAGMA page_size').get() as { page_size: number }
// An open snapshot: the copy shows one instant, and does not begin again when the service writes.
database.exec('BEGIN')
database.prepare('SELECT count(*) FROM sqlite_master').get()
await backup(database, target, {
  rate: PAGES_PER_STEP,
  progress({ totalPages, remainingPages }) {
    if (Atomics.load(stop, 0) !== 0) throw new Error('the backup was stopped')
    const done = (totalPages - remainingPages) * pageBytes
    parentPort?.postMessage({ done, total: totalPages * pageBytes } satisfies BackupProgress)
  },
})
database.close()

// Clears the identity: the service that opens the copy then skips address indexes that may be in use.
const copy = new DatabaseSync(target)
// The copy needs no log, and no journal file beside it: an unfinished copy is deleted as a whole.
copy.exec('PRAGMA journal_mode = DELETE')
copy.exec('PRAGMA journal_mode = MEMORY')
// An earlier version records none.
const hasIdentity = copy.prepare("SELECT 1 FROM sqlite_master WHERE name = 'database_identity'").get() !== undefined
if (hasIdentity && copy.prepare("UPDATE database_identity SET identity = ''").run().changes !== 1)
  throw new Error('the copy has no record of its database identity')
copy.close()
