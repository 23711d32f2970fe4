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
