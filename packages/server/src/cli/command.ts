import { type ParseArgsOptionsConfig, parseArgs } from 'node:util'
import { type Argument, type Arguments, UsageError, type Values } from './argument.ts'
import type { Context } from './context.ts'
import { nearest } from './nearest.ts'

/** A command as the table describes it. */
interface Description<A extends Arguments> {
  readonly summary: string
  /** Default: none. */
  readonly arguments?: A
  /** The arguments in one line. Default: as their order and kinds say; given where they exclude each other. */
  readonly usage?: string
  /** The arguments of an example. */
  readonly example?: string
  /** @returns the exit code. Default: 0 */
  run(values: Values<A>, context: Context): Promise<number> | Promise<void>
}

export interface Command extends Required<Omit<Description<Arguments>, 'run'>> {
  /** One word, or two separated by a space. */
  readonly name: string
  /** Parses the arguments, then runs the command. @returns the exit code @throws UsageError */
  run(args: readonly string[], context: Context): Promise<number>
}

export function command<A extends Arguments>(name: string, description: Description<A>): Command {
  const { summary, arguments: described = {} as A, example = '' } = description
  const { usage = Object.entries(described).map(usageOf).join(' ') } = description
  return {
    name,
    summary,
    arguments: described,
    usage: `${name} ${usage}`.trimEnd(),
    example: `${name} ${example}`.trimEnd(),
    run: async (args, context) => (await description.run(parseArguments(described, args), context)) ?? 0,
  }
}

/** An argument as the help lists it, such as `--from HEIGHT`. */
export function labelOf([name, { kind, placeholder }]: readonly [string, Argument]): string {
  return kind === 'positional' ? placeholder : `--${name} ${placeholder}`.trimEnd()
}

function usageOf(entry: readonly [string, Argument]): string {
  return entry[1].isRequired ? labelOf(entry) : `[${labelOf(entry)}]`
}

/** @throws UsageError that names the argument and says what would be right */
export function parseArguments<A extends Arguments>(described: A, args: readonly string[]): Values<A> {
  const entries = Object.entries(described)
  const { values, positionals } = parseStrictly(described, args)
  const expected = entries.filter(([, { kind }]) => kind === 'positional')
  if (positionals.length > expected.length)
    throw new UsageError(`unexpected argument '${positionals[expected.length]}'`)
  const typed = entries.map(([name, argument]) => {
    const position = expected.findIndex(([other]) => other === name)
    const given = position < 0 ? values[name] : positionals[position]
    if (argument.kind === 'flag') return [name, given === true]
    return [name, typedValue(argument, position < 0 ? `--${name}` : argument.placeholder, given as string | undefined)]
  })
  return Object.fromEntries(typed)
}

function typedValue({ isRequired, type }: Argument, label: string, given: string | undefined): unknown {
  if (given === undefined && !isRequired) return undefined
  if (given === undefined || given === '') throw new UsageError(`${label} is missing`)
  const value = type.parse(given)
  if (value === undefined) throw new UsageError(`${label} must be ${type.description}`)
  return value
}

function parseStrictly(described: Arguments, args: readonly string[]) {
  const options: ParseArgsOptionsConfig = {}
  for (const [name, { kind }] of Object.entries(described))
    if (kind !== 'positional') options[name] = { type: kind === 'flag' ? 'boolean' : 'string' }
  try {
    const { values, positionals } = parseArgs({ args: [...args], options, allowPositionals: true, strict: true })
    return { values: values as Readonly<Record<string, string | boolean | undefined>>, positionals }
  } catch (error) {
    throw new UsageError(describeParseError(error as Error, Object.keys(options)))
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
  return message.split('\n')[0]?.split('. ')[0] ?? 'invalid arguments'
}
