import { readFileSync } from 'node:fs'

/** How many files and sockets this process may have open. Null if the system does not say: only Linux does. */
export function maxOpenFiles(file = '/proc/self/limits'): number | null {
  try {
    const [, soft] = /^Max open files +(\d+) /m.exec(readFileSync(file, 'utf8')) ?? []
    return soft === undefined ? null : Number(soft)
  } catch {
    return null
  }
}
