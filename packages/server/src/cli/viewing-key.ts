import { closeSync, openSync, readSync } from 'node:fs'
import { type Arguments, requireValue, UsageError } from './usage.ts'

/** Far more than any unified viewing key has. */
const MAX_BYTES = 16_384

/**
 * The viewing key of `--viewing-key-file`, where `-` is standard input, or of `--viewing-key`.
 * @throws UsageError when neither or both are given, or the file cannot be read
 */
export function readViewingKey(values: Arguments['values']): string {
  const { 'viewing-key': key, 'viewing-key-file': file } = values
  if (key !== undefined && file !== undefined) throw new UsageError('give either --viewing-key-file or --viewing-key')
  if (file === undefined) return requireValue(key, '--viewing-key-file')
  return requireValue(readText(file).trim(), `the key in ${file === '-' ? 'standard input' : file}`)
}

function readText(file: string): string {
  try {
    const descriptor = file === '-' ? 0 : openSync(file, 'r')
    try {
      return readUpTo(descriptor, MAX_BYTES)
    } finally {
      if (descriptor !== 0) closeSync(descriptor)
    }
  } catch (error) {
    if (error instanceof UsageError) throw error
    throw new UsageError(
      `--viewing-key-file ${file} cannot be read (${(error as NodeJS.ErrnoException).code ?? 'error'})`,
    )
  }
}

function readUpTo(descriptor: number, maxBytes: number): string {
  const buffer = Buffer.alloc(maxBytes + 1)
  let length = 0
  while (length <= maxBytes) {
    const read = readSync(descriptor, buffer, length, buffer.length - length, null)
    if (read === 0) return buffer.toString('utf8', 0, length)
    length += read
  }
  throw new UsageError(`--viewing-key-file has more than ${maxBytes} bytes: it must contain one viewing key`)
}
