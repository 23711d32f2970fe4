import { mkdirSync, readFileSync, realpathSync, rmSync, writeFileSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { formatProcess, parseProcess, type ServiceProcess } from '../process.ts'
import { isBusy } from './driver.ts'

/** A new process may start just as a command looks at the lock. The wait blocks the thread, at the start only. */
const WAIT_MS = 1_000

export interface ProcessLock {
  release(): void
}

/**
 * Lets one process at a time use a file or folder. The lock is an exclusive transaction on the empty SQLite database
 * `<path>.lock`, which the operating system ends with the process, however it ends. Process ids do not matter: they
 * repeat in containers. `<path>.process` describes the holder for messages.
 *
 * @param advice the remedy when the lock is not free, for the message
 * @throws Error when another process, or this one, holds the lock
 */
export function takeProcessLock(path: string, holder: ServiceProcess, advice: string): ProcessLock {
  mkdirSync(dirname(path), { recursive: true, mode: 0o700 })
  const real = realPath(path)
  const database = lock(real)
  if (!database) throw new Error(`${holderAt(real).name} uses ${path}: ${advice}`)
  writeFileSync(holderFile(real), `${formatProcess(holder)}\n`, { mode: 0o600 })
  return {
    release() {
      if (!database.isOpen) return
      rmSync(holderFile(real), { force: true })
      database.close()
    },
  }
}

/** The process that holds the lock; null when the lock is free. */
export function processHolding(path: string): ServiceProcess | null {
  const real = realPath(path)
  const database = lock(real)
  database?.close()
  return database ? null : holderAt(real)
}

/** Closing any other handle of the file would release the lock, so nothing else opens it. */
function lock(real: string): DatabaseSync | null {
  const database = new DatabaseSync(`${real}.lock`, { timeout: WAIT_MS })
  try {
    database.exec('PRAGMA journal_mode = MEMORY')
    database.exec('BEGIN EXCLUSIVE')
    return database
  } catch (error) {
    database.close()
    if (isBusy(error)) return null
    throw error
  }
}

function holderFile(real: string): string {
  return `${real}.process`
}

function holderAt(real: string): ServiceProcess {
  let text = ''
  try {
    text = readFileSync(holderFile(real), 'utf8')
  } catch {}
  return parseProcess(text)
}

/** One lock for all links to a file. */
function realPath(path: string): string {
  try {
    return realpathSync(path)
  } catch {
    return join(realpathSync(dirname(path)), basename(path))
  }
}
