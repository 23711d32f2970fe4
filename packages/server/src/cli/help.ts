import { highest } from '../domain/extreme.ts'
import { type Command, labelOf } from './command.ts'

/** A longer usage has its own line. */
const MAX_NAME_WIDTH = 32
/** Lines are shorter, so that they are easy to read in a wide terminal. */
const MAX_COLUMNS = 100

/** The help of all commands. @param columns the width of the terminal */
export function overview(commands: readonly Command[], columns: number): string {
  const rows = commands.map(({ name, summary }) => [name, summary] as const)
  return `zatgate: invoices for shielded Zcash

Usage: zatgate <command> [options]

${list(rows, columns)}

  --json         prints one JSON value instead of text
  -h, --help     prints this help, or that of a command
  -V, --version  prints the version

Arguments and examples: zatgate <command> --help
Settings are environment variables: docs/settings.md.
Without settings, zatgate starts a sandbox.
`
}

/** The help of the commands that begin with the same word, such as `withdrawals`. */
export function groupHelp(group: string, commands: readonly Command[], columns: number): string {
  const rows = commands.map(({ usage, summary }) => [usage, summary] as const)
  return `Usage: zatgate ${group} <command>

${list(rows, columns)}
`
}

/** The help of one command: its arguments and an example. */
export function commandHelp({ summary, usage, arguments: given, example }: Command, columns: number): string {
  const described = Object.entries(given).map(entry => [labelOf(entry), entry[1].meaning] as const)
  const rows = [...described, ['--json', 'prints one JSON value instead of text'] as const]
  return `${wrap(summary, Math.min(columns, MAX_COLUMNS)).join('\n')}

Usage: zatgate ${usage} [--json]

${list(rows, columns)}

Example:
  zatgate ${example}
`
}

/** Names with their meanings in a second column, which is wrapped. */
function list(rows: readonly (readonly [name: string, meaning: string])[], columns: number): string {
  const names = rows.map(([name]) => name.length).filter(length => length <= MAX_NAME_WIDTH)
  const indent = highest(names, 0) + 4
  const width = Math.max(20, Math.min(columns, MAX_COLUMNS) - indent)
  return rows
    .flatMap(([name, meaning]) => {
      const lines = wrap(meaning, width).map(line => ' '.repeat(indent) + line)
      const [first = ''] = lines
      const isLong = name.length + 4 > indent
      return isLong ? [`  ${name}`, ...lines] : [`  ${name.padEnd(indent - 2)}${first.trimStart()}`, ...lines.slice(1)]
    })
    .join('\n')
}

/** Lines of at most this number of characters, unless a word is longer. */
function wrap(text: string, width: number): string[] {
  const lines: string[] = []
  for (const word of text.split(' ')) {
    const last = lines.at(-1)
    if (last !== undefined && last.length + 1 + word.length <= width) lines[lines.length - 1] = `${last} ${word}`
    else lines.push(word)
  }
  return lines
}
