import { type ParseArgsOptionsConfig, parseArgs } from 'node:util'
import { nearest } from './nearest.ts'

export interface Arguments {
  readonly values: Readonly<Record<string, string | undefined>>
  readonly positionals: readonly string[]
  /** The flags present on the command line. */
  readonly flags: ReadonlySet<string>
}

/** The command line does not match the usage. The process prints the message and exits with 2. */
export class UsageError extends Error {
  constructor(message: string) {
    super(message)
    this.name = 'UsageError'
  }
}

/**
 * Parses a command's arguments.
 *
 * @param options names of the options that take a value
 * @param positionals the maximum number of positional arguments
 * @param flags names of the options without a value
 * @throws UsageError
 */
export function parseArguments(
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
    throw new UsageError(describeParseError(error as Error, Object.keys(config)))
  }
  if (parsed.positionals.length > positionals)
    throw new UsageError(`unexpected argument '${parsed.positionals[positionals]}'`)
  return {
    values: parsed.values as Arguments['values'],
    positionals: parsed.positionals,
    flags: new Set(flags.filter(name => parsed.values[name] === true)),
  }
}

/** Says what is wrong in the words of the other messages. Node's own contain advice about its parser. */
function describeParseError({ message }: Error, options: readonly string[]): string {
  const [, option = ''] = /^(?:Unknown option|Option) '(-[\w-]*)/.exec(message) ?? []
  if (message.startsWith('Unknown option')) {
    const meant = nearest(
      option,
      options.map(name => `--${name}`),
    )
    return `unknown option '${option}'${meant === undefined ? '' : `: did you mean '${meant}'?`}`
  }
  if (message.includes('argument missing') || message.includes('ambiguous'))
    return `${option} needs a value (if it begins with -, write ${option}=-…)`
  if (message.includes('does not take an argument')) return `${option} takes no value`
  return message.split('\n')[0]?.split('. ')[0] ?? 'invalid arguments'
}

/** @throws UsageError when the value is missing or empty */
export function requireValue(value: string | undefined, name: string): string {
  if (value === undefined || value === '') throw new UsageError(`${name} is missing`)
  return value
}
