import { rm } from 'node:fs/promises'
import { Worker } from 'node:worker_threads'
import type { WorkWatch } from '../../ports/progress.ts'
import { writeNewFile } from '../new-file.ts'

const WORKER_URL = new URL('./backup-worker.ts', import.meta.url)

/** The order for the worker thread: SQLite files, and memory that is 1 when it must stop. */
export interface BackupOrder {
  readonly source: string
  readonly target: string
  readonly stop: Int32Array
}

/** The progress that the worker thread reports, in bytes. */
export interface BackupProgress {
  readonly done: number
  readonly total: number
}

/**
 * Copies the SQLite file at `source` consistently while it is read and written. `file` appears only once it is
 * complete, marked as a copy and flushed to the disk.
 * @throws AppError as `writeNewFile`; the reason of the signal
 */
export async function backupSqlite(source: string, file: string, watch: WorkWatch = {}): Promise<void> {
  await writeNewFile(file, async ({ path }) => {
    try {
      await copy(source, path, watch)
    } finally {
      for (const suffix of ['-wal', '-shm']) await rm(`${path}${suffix}`, { force: true })
    }
  })
}

/** Runs in a worker thread: each step copies megabytes, and marking the copy is synchronous. */
function copy(source: string, target: string, { onProgress, signal }: WorkWatch): Promise<void> {
  const stop = new Int32Array(new SharedArrayBuffer(Int32Array.BYTES_PER_ELEMENT))
  const order: BackupOrder = { source, target, stop }
  const onAbort = () => void Atomics.store(stop, 0, 1)
  return new Promise<void>((resolve, reject) => {
    signal?.throwIfAborted()
    signal?.addEventListener('abort', onAbort, { once: true })
    const worker = new Worker(WORKER_URL, { workerData: order })
    worker.on('message', ({ done, total }: BackupProgress) => onProgress?.(done, total))
    worker.once('error', error => reject(signal?.aborted ? signal.reason : error))
    worker.once('exit', code => {
      // The last steps may have been copied before the worker saw the stop.
      if (signal?.aborted) reject(signal.reason)
      else if (code === 0) resolve()
      else reject(new Error(`the backup worker exited with code ${code}`))
    })
  }).finally(() => signal?.removeEventListener('abort', onAbort))
}
