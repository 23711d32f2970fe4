/** What a command prints: lines for people, or with `--json` one value for programs. */
export interface Output {
  readonly json: boolean
  /** The result, as either wants it. */
  result(value: unknown, lines: readonly string[]): void
  /** Beside the result: for people only, and on standard error. */
  note(line: string): void
}

export function createOutput(json: boolean, stdout: NodeJS.WritableStream, stderr: NodeJS.WritableStream): Output {
  return {
    json,
    result(value, lines) {
      if (json) stdout.write(`${toJson(value)}\n`)
      else for (const line of lines) stdout.write(`${line}\n`)
    },
    note(line) {
      if (!json) stderr.write(`${line}\n`)
    },
  }
}

/** In Node, and not yet in TypeScript's library. */
const { rawJSON } = JSON as typeof JSON & { rawJSON(text: string): unknown }

/** Whole numbers of any size are written with all their digits. */
function toJson(value: unknown): string {
  return JSON.stringify(value, (_key, member) => (typeof member === 'bigint' ? rawJSON(member.toString()) : member))
}

/** Columns as wide as they need to be, two blanks between. */
export function table(headings: readonly string[], rows: readonly (readonly string[])[]): string[] {
  const widths = headings.map((heading, i) => Math.max(heading.length, ...rows.map(row => row[i]?.length ?? 0)))
  const line = (cells: readonly string[]) =>
    cells
      .map((cell, i) => cell.padEnd(widths[i] ?? 0))
      .join('  ')
      .trimEnd()
  return [line(headings.map(heading => heading.toUpperCase())), ...rows.map(line)]
}

/** `2026-11-21 08:30:00 UTC` */
export function when(unixSecs: number): string {
  return `${new Date(unixSecs * 1000).toISOString().slice(0, 19).replace('T', ' ')} UTC`
}
