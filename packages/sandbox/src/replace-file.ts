import { renameSync, writeFileSync } from 'node:fs'

/** Replaces a file atomically. Only its owner can read it. */
export function replaceFile(path: string, text: string): void {
  const draft = `${path}.new`
  writeFileSync(draft, text, { mode: 0o600 })
  renameSync(draft, path)
}
