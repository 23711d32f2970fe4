import { link, mkdir, open, rm } from 'node:fs/promises'
import { dirname } from 'node:path'
import { Worker } from 'node:worker_threads'
import { Fault } from '../../domain/error.ts'

const COPY = new URL('./backup-worker.ts', import.meta.url)

/**
 * A consistent copy of the SQLite file at `source` as of now, while others read and write it. `file` appears only
 * once it is whole, stamped as a copy and on the disk; it is readable by the owner alone.
 * @throws Fault `file_exists` rather than overwrite.
 */
export async function backupSqlite(source: string, file: string): Promise<void> {
  await mkdir(dirname(file), { recursive: true, mode: 0o700 })
  const partial = `${file}.partial`
  const made = await open(partial, 'wx', 0o600).catch(refuseExisting(partial))
  try {
    await copy(source, partial)
    await made.sync()
    await link(partial, file).catch(refuseExisting(file))
    await syncDirectory(dirname(file))
  } finally {
    await made.close()
    await rm(partial, { force: true })
  }
}

/** In a thread of its own: the copy is one long call. */
function copy(source: string, target: string): Promise<void> {
  return new Promise((resolve, reject) => {
    const worker = new Worker(COPY, { workerData: { source, target } })
    worker.once('error', reject)
    worker.once('exit', code => (code === 0 ? resolve() : reject(new Error(`the copy ended with ${code}`))))
  })
}

async function syncDirectory(path: string): Promise<void> {
  const directory = await open(path, 'r')
  try {
    await directory.sync()
  } finally {
    await directory.close()
  }
}

function refuseExisting(file: string): (error: unknown) => never {
  return error => {
    if (!(error instanceof Error && 'code' in error && error.code === 'EEXIST')) throw error
    throw new Fault('conflict', 'file_exists', `${file} exists already, and is not overwritten`)
  }
}
