import manifest from '../../package.json' with { type: 'json' }
import { ConfigError, ENVIRONMENT, type Env } from '../config/settings.ts'
import { AppError } from '../domain/error.ts'
import { showUnprintable } from '../domain/text.ts'
import { UsageError } from './argument.ts'
import type { Command } from './command.ts'
import { COMMANDS } from './commands.ts'
import { createContext, type SandboxParts } from './context.ts'
import { commandHelp, groupHelp, overview } from './help.ts'
import { nearest } from './nearest.ts'
import { createOutput, type OutputStream } from './output.ts'
import { StoppedError } from './stop-signal.ts'

const { version: VERSION } = manifest

/** Where the output is no terminal. */
const DEFAULT_COLUMNS = 80

export interface RunOptions extends SandboxParts {
  readonly env?: Env
  readonly stdout?: OutputStream
  readonly stderr?: OutputStream
}

/**
 * Runs one command line.
 * @returns the exit code: 0 success, 1 failure, 2 usage error, 128 and its number after a stop signal
 */
export async function run(argv: readonly string[], options: RunOptions = {}): Promise<number> {
  const { env = ENVIRONMENT, stdout = process.stdout, stderr = process.stderr } = options
  const json = argv.includes('--json')
  const args = argv.filter(arg => arg !== '--json')
  const out = createOutput(json, stdout, stderr)
  if (args.some(arg => arg === '--help' || arg === '-h') || args[0] === 'help') {
    const help = helpFor(args, stdout.columns ?? DEFAULT_COLUMNS)
    if (help !== undefined) {
      stdout.write(help)
      return 0
    }
  }
  if (args[0] === '--version' || args[0] === '-V') {
    out.result({ version: VERSION, node: process.version }, [`zatgate ${VERSION} (Node ${process.version})`])
    return 0
  }
  const command = findCommand(args)
  try {
    if (!command) throw new UsageError(whyUnknown(args))
    const commandArgs = args.slice(command.name.split(' ').length)
    return await command.run(commandArgs, createContext(out, options, env))
  } catch (error) {
    if (error instanceof UsageError) {
      const group = command ? [] : groupOf(args)
      const see = command ? `usage: zatgate ${command.usage}` : 'see zatgate --help'
      stderr.write(
        group.length > 0
          ? groupHelp(args[0] as string, group, stderr.columns ?? DEFAULT_COLUMNS)
          : `zatgate: ${showUnprintable(error.message)} (${see})\n`,
      )
      return 2
    }
    stderr.write(`zatgate: ${showUnprintable(errorMessage(error))}\n`)
    return error instanceof StoppedError ? error.exitCode : 1
  }
}

function whyUnknown(args: readonly string[]): string {
  const [word, second] = args[0] === 'help' ? args.slice(1) : args
  if (word === undefined) return 'no command given'
  const typed = [word, second].filter(part => part && !part.startsWith('-')).join(' ')
  const names = COMMANDS.map(({ name }) => name)
  const meant = nearest(typed, names) ?? nearest(word, [...names, ...names.map(name => name.split(' ')[0] as string)])
  return `unknown command '${isGroup(word) ? typed : word}'${meant === undefined ? '' : `: did you mean '${meant}'?`}`
}

/** Whether commands begin with this word. */
function isGroup(word: string): boolean {
  return COMMANDS.some(({ name }) => name.startsWith(`${word} `))
}

/** The commands that begin with the first word, when it is no command itself and nothing else was typed. */
function groupOf(args: readonly string[]): Command[] {
  const words = args.filter(arg => !arg.startsWith('-'))
  return words.length === 1 ? COMMANDS.filter(({ name }) => name.startsWith(`${words[0]} `)) : []
}

function findCommand(args: readonly string[]): Command | undefined {
  return COMMANDS.find(({ name }) => name === args.slice(0, name.split(' ').length).join(' '))
}

function errorMessage(error: unknown): string {
  if (error instanceof AppError && typeof error.extra.detail === 'string')
    return `${error.message}: ${error.extra.detail}`
  if (error instanceof AppError || error instanceof ConfigError) return error.message
  return error instanceof Error ? error.message : String(error)
}

/** Undefined for a command that does not exist. */
function helpFor(args: readonly string[], columns: number): string | undefined {
  const words = (args[0] === 'help' ? args.slice(1) : args).filter(arg => !arg.startsWith('-'))
  const command = findCommand(words)
  if (command) return commandHelp(command, columns)
  const group = groupOf(words)
  if (group.length > 0) return groupHelp(words[0] as string, group, columns)
  return words.length === 0 ? overview(COMMANDS, columns) : undefined
}
