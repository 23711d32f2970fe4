import { mkdirSync, mkdtempSync, readdirSync, renameSync, rmdirSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { hostname } from 'node:os'
import { basename, dirname, join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { LaunchError, say } from './fail.mjs'
import { isRunning } from './processes.mjs'

/** How long one start waits for another's install. */
const WAIT_MS = 10 * 60_000
const POLL_MS = 200
/** No install takes longer, so an older entry is dead: its process id may have been given away, or be another host's. */
const HOLDER_LIVES_MS = 10 * 60_000

/**
 * Runs `work` while holding the folder `path` as a lock among processes.
 *
 * The lock is a folder with one empty file per process that must be dead before it is free: `<host>+<pid>`.
 * It appears whole, by a rename, which succeeds only where there is no folder or an empty one. So a stale lock is taken
 * over by removing its dead entries and renaming, and of several that try, one wins.
 *
 * @template T
 * @param {string} path
 * @param {(lock: { alsoHeldBy(pid: number): void }) => Promise<T>} work `alsoHeldBy` keeps the lock, should this
 *   process be killed, until that process has ended too
 * @param {{ waitMs?: number }} [options]
 * @returns {Promise<T>}
 * @throws {LaunchError} when the lock is not free within `waitMs`
 */
export async function withLock(path, work, { waitMs = WAIT_MS } = {}) {
  const mine = [entryOf(process.pid)]
  await acquire(path, mine[0], waitMs)
  try {
    return await work({
      alsoHeldBy(pid) {
        mine.push(entryOf(pid))
        writeFileSync(join(path, entryOf(pid)), '')
      },
    })
  } finally {
    for (const entry of mine) rmSync(join(path, entry), { force: true })
    removeIfEmpty(path)
  }
}

async function acquire(path, entry, waitMs) {
  mkdirSync(dirname(path), { recursive: true })
  const deadline = Date.now() + waitMs
  let told = false
  while (!take(path, entry)) {
    if (Date.now() >= deadline) {
      throw new LaunchError(
        `another start has been installing for ${Math.round(waitMs / 60_000)} minutes. If none is running, remove ${path} and try again.`,
      )
    }
    if (!told) say('another start is installing; waiting for it')
    told = true
    await delay(POLL_MS)
  }
}

function take(path, entry) {
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
  const at = entry.lastIndexOf('+')
  const pid = Number(entry.slice(at + 1))
  if (ageMs(join(path, entry)) > HOLDER_LIVES_MS) return false
  if (entry.slice(0, at) !== hostname()) return true
  if (pid === process.pid) return false // of an earlier life of this host, a restarted container
  return isRunning(pid)
}

function ageMs(file) {
  const found = statSync(file, { throwIfNoEntry: false })
  return found ? Date.now() - found.mtimeMs : Number.POSITIVE_INFINITY
}

function removeIfEmpty(path) {
  try {
    rmdirSync(path)
  } catch {
    // The next holder already stands in it.
  }
}
