import { readFileSync, statSync } from 'node:fs'

const MAX_FILE_BYTES = 64 * 1024

/** Null: not a file, too large, or not readable. */
export function textOrNull(file: string): string | null {
  try {
    const stat = statSync(file)
    return stat.isFile() && stat.size <= MAX_FILE_BYTES ? readFileSync(file, 'utf8') : null
  } catch {
    return null
  }
}
