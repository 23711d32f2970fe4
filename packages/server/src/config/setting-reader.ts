import { readFileSync, statSync } from 'node:fs'
import { InvalidValue } from './parsers.ts'

export type Env = Readonly<Record<string, string | undefined>>

/** Settings that can also be given as the path of a file, in `<name>_FILE`. */
export const SECRETS: readonly string[] = [
  'BILLING_VIEWING_KEY',
  'DATABASE_URL',
  'ENCRYPTION_KEY',
  'METRICS_TOKEN',
  'SMTP_URL',
  'SWAP_API_KEY',
  'SWAP_SIGNING_KEY',
]

const MAX_FILE_BYTES = 64 * 1024

/** Reads settings one by one and collects all problems. */
export class Settings {
  readonly problems: string[] = []
  readonly warnings: string[] = []
  readonly #values: Env

  constructor(env: Env) {
    const files = SECRETS.flatMap(name => {
      const file = env[`${name}_FILE`]?.trim() ?? ''
      return file === '' ? [] : [[name, this.#secretIn(env, name, file)] as const]
    })
    for (const name of Object.keys(env).filter(name => /^(?:\ufeff|\u00ef\u00bb\u00bf|\s)|\s$/.test(name)))
      this.problems.push(
        `${JSON.stringify(name)} is no setting: remove the spaces or the byte order mark beside its name in the file of settings`,
      )
    this.#values = { ...env, ...Object.fromEntries(files) }
  }

  has(name: string): boolean {
    return this.#raw(name) !== ''
  }

  read<T, D>(name: string, parse: (raw: string) => T, defaultValue: D): T | D {
    const raw = this.#raw(name)
    return raw === '' || raw === UNREADABLE ? defaultValue : this.check<T | D>(name, raw, parse, defaultValue)
  }

  /** A required setting. When it is missing or invalid, `placeholder` allows the parsing to continue and find all problems. */
  require<T>(name: string, parse: (raw: string) => T, placeholder: T): T {
    const raw = this.#raw(name)
    if (raw === UNREADABLE) return placeholder
    return this.check(name, raw, raw === '' ? unset(parse) : parse, placeholder)
  }

  check<T>(name: string, raw: string, parse: (raw: string) => T, placeholder: T): T {
    try {
      return parse(raw)
    } catch (error) {
      if (!(error instanceof InvalidValue)) throw error
      if (raw === '') this.problems.push(`${name} is not set: it should be ${error.message}`)
      else this.problems.push(`${name} is invalid: it should be ${error.message}`)
      return placeholder
    }
  }

  #raw(name: string): string {
    return this.#values[name]?.trim() ?? ''
  }

  #secretIn(env: Env, name: string, file: string): string {
    const problem = (text: string) => {
      this.problems.push(text)
      return UNREADABLE
    }
    if (env[name]?.trim()) return problem(`${name} and ${name}_FILE are both set: set only one of them`)
    const text = textOrNull(file)
    if (text === null) return problem(`${name}_FILE is ${file}, which cannot be read`)
    return text.trim() === '' ? problem(`${name}_FILE is ${file}, which is empty`) : text
  }
}

/** The value of a setting whose file is reported as a problem. */
const UNREADABLE = '\0'

/** Makes the parser report the expected value for an unset setting. */
function unset<T>(parse: (raw: string) => T): (raw: string) => T {
  return () => parse('')
}

/** Null: not a file, too large, or not readable. */
export function textOrNull(file: string): string | null {
  try {
    const stat = statSync(file)
    return stat.isFile() && stat.size <= MAX_FILE_BYTES ? readFileSync(file, 'utf8') : null
  } catch {
    return null
  }
}
