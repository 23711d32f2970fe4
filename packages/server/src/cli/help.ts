import type { Command } from './command.ts'

const MAX_WIDTH = 46

/** The help of all commands. */
export function overview(commands: readonly Command[]): string {
  return `zatgate: invoices for shielded Zcash

Usage: zatgate <command> [options]

${commandList(commands)}

  --json         prints one JSON value instead of text
  -h, --help     prints this help, or that of a command
  -V, --version  prints the version

Settings are environment variables, listed in README.md. Without settings, zatgate starts a sandbox.
`
}

/** The help of the commands that begin with the same word, such as `withdrawals`. */
export function groupHelp(group: string, commands: readonly Command[]): string {
  return `Usage: zatgate ${group} <command>

${commandList(commands)}
`
}

/** The help of one command: its arguments and an example. */
export function commandHelp({ summary, usage, arguments: given, example }: Command): string {
  const width = Math.max(...given.map(([name]) => name.length), '--json'.length)
  const rows = [...given, ['--json', 'prints one JSON value instead of text'] as const]
  const lines = rows.map(([name, meaning]) => `  ${name.padEnd(width)}  ${meaning}`)
  return `${summary}

Usage: zatgate ${usage} [--json]

${lines.join('\n')}

Example:
  zatgate ${example}
`
}

/** The name that a mistyped one probably means; undefined when none is near. */
export function nearest(typed: string, names: readonly string[]): string | undefined {
  const ranked = names
    .map(name => ({ name, distance: editDistance(typed, name) }))
    .sort((a, b) => a.distance - b.distance)
  const [best] = ranked
  return best && best.distance <= Math.max(1, Math.floor(best.name.length / 3)) ? best.name : undefined
}

function commandList(commands: readonly Command[]): string {
  const width = Math.min(MAX_WIDTH, Math.max(...commands.map(({ usage }) => usage.length)))
  return commands
    .map(({ usage, summary }) =>
      usage.length > MAX_WIDTH
        ? `  ${usage}\n  ${' '.repeat(width)}  ${summary}`
        : `  ${usage.padEnd(width)}  ${summary}`,
    )
    .join('\n')
}

/** The number of letters to insert, delete or replace (Levenshtein). */
function editDistance(a: string, b: string): number {
  let previous = Array.from({ length: b.length + 1 }, (_, index) => index)
  for (const [row, letter] of [...a].entries()) {
    const current = [row + 1]
    for (const [column, other] of [...b].entries()) {
      const replaced = (previous[column] as number) + (letter === other ? 0 : 1)
      current.push(Math.min(replaced, (previous[column + 1] as number) + 1, (current[column] as number) + 1))
    }
    previous = current
  }
  return previous[b.length] as number
}
