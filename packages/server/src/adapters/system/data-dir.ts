import { mkdirSync, mkdtempSync, rmdirSync } from 'node:fs'
import { join } from 'node:path'

/** Creates the data folder, readable by this user only. An existing folder keeps its mode. */
export function createDataDir(path: string): void {
  try {
    mkdirSync(path, { recursive: true, mode: 0o700 })
  } catch (cause) {
    throw new Error(`DATA_DIR: ${path} cannot be created: ${(cause as Error).message}`, { cause })
  }
}

/** Creates the data folder, for a process that keeps all of its state there. @throws Error when it cannot be written */
export function createWritableDataDir(path: string): void {
  createDataDir(path)
  try {
    rmdirSync(mkdtempSync(join(path, '.writable-')))
  } catch (cause) {
    throw new Error(`DATA_DIR: ${path} cannot be written by this user: ${(cause as Error).message}`, { cause })
  }
}
