import type { Log } from '../../src/ports.ts'

export interface LogLine {
  readonly level: keyof Log
  readonly details: Readonly<Record<string, unknown>>
  readonly message: string
}

/** Keeps what is logged. */
export function recordingLog(): Log & { readonly lines: LogLine[] } {
  const lines: LogLine[] = []
  const at = (level: keyof Log) => (details: object, message: string) => {
    lines.push({ level, details: details as Record<string, unknown>, message })
  }
  return { lines, debug: at('debug'), info: at('info'), warn: at('warn'), error: at('error') }
}

export const silentLog: Log = { debug: () => {}, info: () => {}, warn: () => {}, error: () => {} }
