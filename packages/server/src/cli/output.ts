import { systemClock } from '../adapters/system/clock.ts'
import { escapeUnprintable, showUnprintable } from '../domain/text.ts'
import { createProgress, type Progress, type Terminal } from './progress.ts'

/** The output of a command: lines of text, or one JSON value with `--json`. */
export interface Output {
  readonly json: boolean
  /** Whether standard output is a terminal. */
  readonly isTerminal: boolean
  /** Prints the result: `value` as JSON, otherwise `lines`. */
  result(value: unknown, lines: readonly string[]): void
  /** Prints a line to standard error; does nothing with `--json`. */
  note(line: string): void
  /** Shows the progress of an operation on standard error; does nothing with `--json`. */
  progress(label: string, unit: string): Progress
  /** Writes text to standard output, and waits until it accepts more. */
  write(text: string): Promise<void>
}

const NO_PROGRESS: Progress = { update() {}, end() {} }

/** A stream that may be a terminal, as `process.stderr`. */
export type OutputStream = NodeJS.WritableStream & { readonly isTTY?: boolean; readonly columns?: number }

export function createOutput(json: boolean, stdout: OutputStream, stderr: OutputStream): Output {
  const terminal: Terminal | null = stderr.isTTY === true ? stderr : null
  return {
    json,
    isTerminal: stdout.isTTY === true,
    result(value, lines) {
      if (json) stdout.write(`${toJson(value)}\n`)
      else for (const line of lines) stdout.write(`${showUnprintable(line)}\n`)
    },
    note(line) {
      if (!json) stderr.write(`${showUnprintable(line)}\n`)
    },
    progress(label, unit) {
      const print = (line: string) => void stderr.write(`${line}\n`)
      return json ? NO_PROGRESS : createProgress({ label, unit, clock: systemClock, terminal, print })
    },
    write: text =>
      new Promise((resolve, reject) => {
        stdout.write(text, error => (error ? reject(error) : resolve()))
      }),
  }
}

/** Available in Node, but not yet in TypeScript's library types. */
const { rawJSON } = JSON as typeof JSON & { rawJSON(text: string): unknown }

/** Writes a bigint as a JSON number with all its digits, and invisible characters as escapes. */
function toJson(value: unknown): string {
  const text = JSON.stringify(value, (_key, member) =>
    typeof member === 'bigint' ? rawJSON(member.toString()) : member,
  )
  return escapeUnprintable(text)
}

/** Aligned columns, separated by two spaces. */
export function table(headings: readonly string[], rows: readonly (readonly string[])[]): string[] {
  const shown = rows.map(row => row.map(showUnprintable))
  const widths = headings.map((heading, i) =>
    shown.reduce((width, row) => Math.max(width, row[i]?.length ?? 0), heading.length),
  )
  const line = (cells: readonly string[]) =>
    cells
      .map((cell, i) => cell.padEnd(widths[i] ?? 0))
      .join('  ')
      .trimEnd()
  return [line(headings.map(heading => heading.toUpperCase())), ...shown.map(line)]
}
