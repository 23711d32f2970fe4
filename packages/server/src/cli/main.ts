import { ConfigError, ENVIRONMENT, type Env } from '../config/settings.ts'
import { AppError } from '../domain/error.ts'
import type { Command } from './command.ts'
import {
  accountCreate,
  accountDelete,
  accountEmail,
  accountKeep,
  accountList,
  accountPlan,
} from './commands/account.ts'
import { address } from './commands/address.ts'
import { audit } from './commands/audit.ts'
import { backup } from './commands/backup.ts'
import { chainAccept } from './commands/chain.ts'
import { doctor } from './commands/doctor.ts'
import { open } from './commands/open.ts'
import { rescan } from './commands/rescan.ts'
import { restored } from './commands/restored.ts'
import { rotateEncryptionKey } from './commands/rotate-encryption-key.ts'
import { sessionCreate, sessionEnd } from './commands/session.ts'
import { start } from './commands/start.ts'
import { withdrawalsFail, withdrawalsList, withdrawalsSettle, withdrawalsShow } from './commands/withdrawal.ts'
import { createContext } from './context.ts'
import { createOutput } from './output.ts'
import type { StartSandbox } from './sandbox.ts'
import { UsageError } from './usage.ts'

const COMMANDS: readonly Command[] = [
  start,
  doctor,
  address,
  open,
  accountList,
  accountCreate,
  accountPlan,
  accountEmail,
  accountDelete,
  accountKeep,
  sessionCreate,
  sessionEnd,
  audit,
  withdrawalsList,
  withdrawalsShow,
  withdrawalsSettle,
  withdrawalsFail,
  rescan,
  chainAccept,
  backup,
  restored,
  rotateEncryptionKey,
]

export interface RunOptions {
  readonly startSandbox?: StartSandbox
  readonly env?: Env
  readonly stdout?: NodeJS.WritableStream
  readonly stderr?: NodeJS.WritableStream
}

/**
 * Runs one command line.
 * @returns the exit code: 0 success, 1 failure, 2 usage error
 */
export async function run(argv: readonly string[], options: RunOptions = {}): Promise<number> {
  const { startSandbox, env = ENVIRONMENT, stdout = process.stdout, stderr = process.stderr } = options
  const json = argv.includes('--json')
  const args = argv.filter(arg => arg !== '--json')
  const out = createOutput(json, stdout, stderr)
  if (args.some(arg => arg === '--help' || arg === '-h') || args[0] === 'help') {
    stdout.write(helpFor(args))
    return 0
  }
  const command = findCommand(args)
  try {
    if (!command) throw new UsageError(args.length === 0 ? 'no command given' : `unknown command '${args[0]}'`)
    const commandArgs = args.slice(command.name.split(' ').length)
    return (await command.run(commandArgs, createContext(out, startSandbox, env))) ?? 0
  } catch (error) {
    if (error instanceof UsageError) {
      stderr.write(
        `zatgate: ${error.message} (${command ? `usage: zatgate ${command.usage}` : 'see zatgate --help'})\n`,
      )
      return 2
    }
    stderr.write(`zatgate: ${errorMessage(error)}\n`)
    return 1
  }
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

function helpFor(args: readonly string[]): string {
  const command = findCommand(args[0] === 'help' ? args.slice(1) : args)
  return command ? `${command.summary}\n\nUsage: zatgate ${command.usage} [--json]\n` : help()
}

function help(): string {
  const width = Math.max(...COMMANDS.map(({ usage }) => usage.length))
  const maxWidth = 46
  const lines = COMMANDS.map(({ usage, summary }) =>
    usage.length > maxWidth
      ? `  ${usage}\n  ${' '.repeat(Math.min(width, maxWidth))}  ${summary}`
      : `  ${usage.padEnd(Math.min(width, maxWidth))}  ${summary}`,
  )
  return `zatgate: invoices for shielded Zcash

Usage: zatgate <command> [options]

${lines.join('\n')}

  --json       prints one JSON value instead of text
  -h, --help   prints this help, or the usage of a command

Settings are environment variables, listed in README.md. Without settings, zatgate starts a sandbox.
`
}
