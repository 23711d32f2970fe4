import { closeSync, openSync, readSync } from 'node:fs'
import { UsageError } from './argument.ts'

/** Far more than any unified viewing key has. */
const MAX_BYTES = 16_384

/** The options of which one names the key. */
export interface ViewingKeyArguments {
  readonly 'viewing-key': string | undefined
  readonly 'viewing-key-file': string | undefined
}

/**
 * The viewing key of `--viewing-key-file`, where `-` is standard input, or of `--viewing-key`.
 * @throws UsageError when neither or both are given, or the file cannot be read
 */
export function readViewingKey({ 'viewing-key': key, 'viewing-key-file': file }: ViewingKeyArguments): string {
  if (key !== undefined && file !== undefined) throw new UsageError('give either --viewing-key-file or --viewing-key')
  if (file === undefined) return present(key, '--viewing-key-file')
  return present(readText(file).trim(), `the key in ${file === '-' ? 'standard input' : file}`)
}

function present(key: string | undefined, name: string): string {
  if (!key) throw new UsageError(`${name} is missing`)
  return key
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
