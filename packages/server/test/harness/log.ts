import assert from 'node:assert/strict'
import { createLogger, type Logger } from '../../src/adapters/system/logger.ts'
import type { Log } from '../../src/ports/log.ts'

/** One recorded log call. */
export interface LogLine {
  readonly level: keyof Log
  readonly details: Readonly<Record<string, unknown>>
  readonly message: string
}

/** A log that records its calls. */
export function recordingLog(): Log & { readonly lines: LogLine[] } {
  const lines: LogLine[] = []
  const record = (level: keyof Log) => (details: object, message: string) => {
    lines.push({ level, details: details as Record<string, unknown>, message })
  }
  return { lines, debug: record('debug'), info: record('info'), warn: record('warn'), error: record('error') }
}

/** A log that discards everything. */
export const silentLog: Log = { debug: () => {}, info: () => {}, warn: () => {}, error: () => {} }

/** A logger at level debug that writes nowhere, and checks what it would have written. */
export function canaryLogger(): {
  readonly logger: Logger
  /** Asserts that no line contains a whole UUID or one of the values. */
  assertNoSecret(secrets: ReadonlyMap<string, string>): void
} {
  const lines: string[] = []
  return {
    logger: createLogger('debug', { destination: { write: line => void lines.push(line) } }),
    assertNoSecret(secrets) {
      assert.ok(lines.length > 0, 'nothing was logged')
      const text = lines.join('')
      for (const [name, value] of secrets) assert.ok(!text.includes(value), `the log contains: ${name}`)
      const [line] = lines.filter(line => /[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}/i.test(line))
      assert.equal(line, undefined, 'the log contains an id that acts as a credential')
    },
  }
}
