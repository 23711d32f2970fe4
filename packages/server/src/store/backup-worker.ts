import { DatabaseSync } from 'node:sqlite'
import { workerData } from 'node:worker_threads'

const { source, target } = workerData as { source: string; target: string }
const database = new DatabaseSync(source, { readOnly: true, timeout: 5_000 })
database.prepare('VACUUM INTO ?').run(target)
database.close()
