import { mkdirSync, mkdtempSync, readdirSync, renameSync, rmdirSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { hostname } from 'node:os'
import { basename, dirname, join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { LaunchError, printStatus } from './fail.mjs'
import { isRunning } from './processes.mjs'

/** How long a start waits for the installation of another start. */
const WAIT_MS = 10 * 60_000
const POLL_MS = 200
/** Older entries are stale: no installation takes longer. Their process ids may be reused or belong to another host. */
const ENTRY_MAX_AGE_MS = 10 * 60_000

/**
 * Runs `work` while holding a lock between processes.
 *
 * The lock is the folder `path`. It contains one empty file `<host>+<pid>` for each process that holds the lock. The
 * folder is prepared elsewhere and renamed into place, which succeeds only if `path` is absent or empty. To take over a
 * stale lock, a process removes the entries of dead processes and renames; of several such processes, one succeeds.
 *
 * @template T
 * @param {string} path
 * @param {(lock: { alsoHeldBy(pid: number): void }) => Promise<T>} work `alsoHeldBy` adds a holder: if this
 *   process is killed, the lock stays held until that process has ended
 * @param {{ waitMs?: number }} [options]
 * @returns {Promise<T>}
 * @throws {LaunchError} when the lock is not free within `waitMs`
 */
export async function withLock(path, work, { waitMs = WAIT_MS } = {}) {
  const entries = [entryOf(process.pid)]
  await acquire(path, entries[0], waitMs)
  try {
    return await work({
      alsoHeldBy(pid) {
        entries.push(entryOf(pid))
        writeFileSync(join(path, entryOf(pid)), '')
      },
    })
  } finally {
    for (const entry of entries) rmSync(join(path, entry), { force: true })
    removeIfEmpty(path)
  }
}

async function acquire(path, entry, waitMs) {
  mkdirSync(dirname(path), { recursive: true })
  const deadline = Date.now() + waitMs
  let isReported = false
  while (!tryAcquire(path, entry)) {
    if (Date.now() >= deadline) {
      throw new LaunchError(
        `another start has been installing for ${Math.round(waitMs / 60_000)} minutes. If none is running, remove ${path} and try again.`,
      )
    }
    if (!isReported) printStatus('another start is installing dependencies; waiting for it')
    isReported = true
    await delay(POLL_MS)
  }
}

function tryAcquire(path, entry) {
  for (const holder of entriesOf(path)) {
    if (isAlive(path, holder)) return false
    rmSync(join(path, holder), { force: true })
  }
  const staged = mkdtempSync(join(dirname(path), `${basename(path)}-`))
  writeFileSync(join(staged, entry), '')
  try {
    renameSync(staged, path)
    return true
  } catch (error) {
    rmSync(staged, { recursive: true, force: true })
    if (error.code === 'ENOTEMPTY' || error.code === 'EEXIST') return false
    throw error
  }
}

function entriesOf(path) {
  try {
    return readdirSync(path)
  } catch (error) {
    if (error.code === 'ENOENT') return []
    throw error
  }
}

function entryOf(pid) {
  return `${hostname()}+${pid}`
}

function isAlive(path, entry) {
  const separator = entry.lastIndexOf('+')
  const pid = Number(entry.slice(separator + 1))
  if (ageMs(join(path, entry)) > ENTRY_MAX_AGE_MS) return false
  if (entry.slice(0, separator) !== hostname()) return true
  if (pid === process.pid) return false // from before a restart of this host or container
  return isRunning(pid)
}

function ageMs(file) {
  const stat = statSync(file, { throwIfNoEntry: false })
  return stat ? Date.now() - stat.mtimeMs : Number.POSITIVE_INFINITY
}

function removeIfEmpty(path) {
  try {
    rmdirSync(path)
  } catch {
    // The next holder has already acquired the lock.
  }
}
