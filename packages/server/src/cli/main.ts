import { ConfigFault, ENVIRONMENT, type Env } from '../config/settings.ts'
import { Fault } from '../domain/error.ts'
import { type Command, createContext, WrongUse } from './command.ts'
import { accountList, accountPlan } from './commands/account.ts'
import { address } from './commands/address.ts'
import { backup } from './commands/backup.ts'
import { chainAccept } from './commands/chain.ts'
import { doctor } from './commands/doctor.ts'
import { open } from './commands/open.ts'
import { rescan } from './commands/rescan.ts'
import { restored } from './commands/restored.ts'
import { rotateEncryptionKey } from './commands/rotate-encryption-key.ts'
import { sessionCreate } from './commands/session.ts'
import { type StartSandbox, start } from './commands/start.ts'
import { withdrawalsFail, withdrawalsList, withdrawalsSettle, withdrawalsShow } from './commands/withdrawal.ts'
import { createOutput } from './output.ts'

const COMMANDS: readonly Command[] = [
  start,
  doctor,
  address,
  open,
  accountList,
  accountPlan,
  sessionCreate,
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
 * @returns the exit code: 0 done, 1 not possible, 2 wrong use
 */
export async function run(argv: readonly string[], options: RunOptions = {}): Promise<number> {
  const { startSandbox, env = ENVIRONMENT, stdout = process.stdout, stderr = process.stderr } = options
  const json = argv.includes('--json')
  const words = argv.filter(word => word !== '--json')
  const out = createOutput(json, stdout, stderr)
  if (words.some(word => word === '--help' || word === '-h') || words[0] === 'help') {
    stdout.write(helpFor(words))
    return 0
  }
  const command = commandOf(words)
  try {
    if (!command) throw new WrongUse(words.length === 0 ? 'no command given' : `unknown command '${words[0]}'`)
    const args = words.slice(command.name.split(' ').length)
    return (await command.run(args, createContext(out, startSandbox, env))) ?? 0
  } catch (error) {
    if (error instanceof WrongUse) {
      stderr.write(
        `zatgate: ${error.message} (${command ? `usage: zatgate ${command.usage}` : 'see zatgate --help'})\n`,
      )
      return 2
    }
    stderr.write(`zatgate: ${reason(error)}\n`)
    return 1
  }
}

function commandOf(words: readonly string[]): Command | undefined {
  return COMMANDS.find(({ name }) => name === words.slice(0, name.split(' ').length).join(' '))
}

function reason(error: unknown): string {
  if (error instanceof Fault && typeof error.extra.detail === 'string') return `${error.message}: ${error.extra.detail}`
  if (error instanceof Fault || error instanceof ConfigFault) return error.message
  return error instanceof Error ? error.message : String(error)
}

function helpFor(words: readonly string[]): string {
  const command = commandOf(words[0] === 'help' ? words.slice(1) : words)
  return command ? `${command.summary}\n\nUsage: zatgate ${command.usage} [--json]\n` : help()
}

function help(): string {
  const width = Math.max(...COMMANDS.map(({ usage }) => usage.length))
  const short = 46
  const lines = COMMANDS.map(({ usage, summary }) =>
    usage.length > short
      ? `  ${usage}\n  ${' '.repeat(Math.min(width, short))}  ${summary}`
      : `  ${usage.padEnd(Math.min(width, short))}  ${summary}`,
  )
  return `zatgate: invoices for shielded Zcash

Usage: zatgate <command> [options]

${lines.join('\n')}

  --json       one JSON value instead of text
  -h, --help   this, or a command's own usage

Settings are read from the environment; README.md lists them. Without any, zatgate starts a sandbox.
`
}
