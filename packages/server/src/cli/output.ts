/** The output of a command: lines of text, or one JSON value with `--json`. */
export interface Output {
  readonly json: boolean
  /** Prints the result: `value` as JSON, otherwise `lines`. */
  result(value: unknown, lines: readonly string[]): void
  /** Prints a line to standard error; does nothing with `--json`. */
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

/** Available in Node, but not yet in TypeScript's library types. */
const { rawJSON } = JSON as typeof JSON & { rawJSON(text: string): unknown }

/** Writes a bigint as a JSON number with all its digits. */
function toJson(value: unknown): string {
  return JSON.stringify(value, (_key, member) => (typeof member === 'bigint' ? rawJSON(member.toString()) : member))
}

/** Aligned columns, separated by two spaces. */
export function table(headings: readonly string[], rows: readonly (readonly string[])[]): string[] {
  const widths = headings.map((heading, i) => Math.max(heading.length, ...rows.map(row => row[i]?.length ?? 0)))
  const line = (cells: readonly string[]) =>
    cells
      .map((cell, i) => cell.padEnd(widths[i] ?? 0))
      .join('  ')
      .trimEnd()
  return [line(headings.map(heading => heading.toUpperCase())), ...rows.map(line)]
}
