import { type ParseArgsOptionsConfig, parseArgs } from 'node:util'
import { type Config, type Env, loadConfig } from '../config/settings.ts'
import type { StartSandbox } from './commands/start.ts'
import type { Output } from './output.ts'

/** What a command may use of the world. */
export interface Context {
  readonly env: Env
  readonly out: Output
  /** Absent where the simulated network is not installed. */
  readonly startSandbox: StartSandbox | undefined
  /** Reads the settings when they are needed: a command about a key or a file asks for none. */
  config(): Config
}

export interface Command {
  /** One or two words. */
  readonly name: string
  readonly summary: string
  /** One line that names every argument. */
  readonly usage: string
  /** @returns the exit code; nothing is success */
  run(args: readonly string[], context: Context): Promise<number | undefined>
}

/** The command line is not as the usage says: exit 2 and this one line. */
export class WrongUse extends Error {
  constructor(message: string) {
    super(message)
    this.name = 'WrongUse'
  }
}

interface Arguments {
  readonly values: Readonly<Record<string, string | undefined>>
  readonly positionals: readonly string[]
  /** Those that were given. */
  readonly flags: ReadonlySet<string>
}

/**
 * Options that take a value, in order, and so many words besides; flags take none.
 * @throws WrongUse
 */
export function readArguments(
  args: readonly string[],
  options: readonly string[],
  positionals: number,
  flags: readonly string[] = [],
): Arguments {
  const config: ParseArgsOptionsConfig = Object.fromEntries([
    ...options.map(name => [name, { type: 'string' }]),
    ...flags.map(name => [name, { type: 'boolean' }]),
  ])
  let parsed: ReturnType<typeof parseArgs>
  try {
    parsed = parseArgs({ args: [...args], options: config, allowPositionals: true, strict: true })
  } catch (error) {
    throw new WrongUse((error as Error).message.split('\n')[0]?.split('. ')[0] ?? 'wrong arguments')
  }
  if (parsed.positionals.length > positionals)
    throw new WrongUse(`unexpected argument '${parsed.positionals[positionals]}'`)
  return {
    values: parsed.values as Arguments['values'],
    positionals: parsed.positionals,
    flags: new Set(flags.filter(name => parsed.values[name] === true)),
  }
}

/** @throws WrongUse when it was not given */
export function needed(value: string | undefined, name: string): string {
  if (value === undefined || value === '') throw new WrongUse(`${name} is missing`)
  return value
}

export function createContext(out: Output, startSandbox: StartSandbox | undefined, env: Env): Context {
  return { env, out, startSandbox, config: () => loadConfig(env) }
}
