import { InvalidValue } from './parsers.ts'
import { SECRETS, SETTINGS, type SettingName, type SettingValue } from './setting-table.ts'
import { textOrNull } from './text-file.ts'

export type Env = Readonly<Record<string, string | undefined>>

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

  has(name: SettingName): boolean {
    return this.#raw(name) !== ''
  }

  read<N extends SettingName>(name: N): SettingValue<N> {
    const raw = this.#raw(name)
    return raw === '' ? defaultOf(name) : this.#parse(name, raw)
  }

  /** A required setting. When it is missing or invalid, its default allows the parsing to continue and find all problems. */
  require<N extends SettingName>(name: N): SettingValue<N> {
    return this.#parse(name, this.#raw(name))
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

  #parse<N extends SettingName>(name: N, raw: string): SettingValue<N> {
    if (raw === UNREADABLE) return defaultOf(name)
    const { parse } = SETTINGS[name] as { parse: (raw: string) => SettingValue<N> }
    return this.check(name, raw, parse, defaultOf(name))
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

function defaultOf<N extends SettingName>(name: N): SettingValue<N> {
  return SETTINGS[name].default
}
