import { existsSync } from 'node:fs'
import { link, open, rm } from 'node:fs/promises'
import { dirname } from 'node:path'
import { Worker } from 'node:worker_threads'
import { AppError } from '../../domain/error.ts'

const WORKER_URL = new URL('./backup-worker.ts', import.meta.url)

/**
 * Copies the SQLite file at `source` consistently while it is read and written. `file` appears only once it is
 * complete, marked as a copy and flushed to the disk. Only the owner can read it.
 * @throws AppError `file_exists` when `file` exists; nothing is overwritten. `no_such_folder` when its folder does not
 */
export async function backupSqlite(source: string, file: string): Promise<void> {
  // The copy may take minutes. The link at its end checks again.
  if (existsSync(file)) throw fileExistsError(file)
  if (!existsSync(dirname(file)))
    throw new AppError('invalid', 'no_such_folder', `there is no folder ${dirname(file)}: create it first`)
  const partial = `${file}.partial`
  const handle = await open(partial, 'wx', 0o600).catch(throwFileExists(partial))
  try {
    await copy(source, partial)
    await handle.sync()
    await link(partial, file).catch(throwFileExists(file))
    await syncDirectory(dirname(file))
  } finally {
    await handle.close()
    await rm(partial, { force: true })
  }
}

/** Runs in a worker thread, since the copy is one long synchronous call. */
function copy(source: string, target: string): Promise<void> {
  return new Promise((resolve, reject) => {
    const worker = new Worker(WORKER_URL, { workerData: { source, target } })
    worker.once('error', reject)
    worker.once('exit', code =>
      code === 0 ? resolve() : reject(new Error(`the backup worker exited with code ${code}`)),
    )
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

function throwFileExists(file: string): (error: unknown) => never {
  return error => {
    if (!(error instanceof Error && 'code' in error && error.code === 'EEXIST')) throw error
    throw fileExistsError(file)
  }
}

function fileExistsError(file: string): AppError {
  return new AppError('conflict', 'file_exists', `${file} already exists and is not overwritten`)
}
