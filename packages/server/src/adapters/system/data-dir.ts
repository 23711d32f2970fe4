import { mkdirSync } from 'node:fs'

/** Creates the data folder, readable by this user only. An existing folder keeps its mode. */
export function createDataDir(path: string): void {
  try {
    mkdirSync(path, { recursive: true, mode: 0o700 })
  } catch (cause) {
    throw new Error(`DATA_DIR: ${path} cannot be created: ${(cause as Error).message}`, { cause })
  }
}
