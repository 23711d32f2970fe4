import { type ChildProcess, spawn } from 'node:child_process'
import { dirname } from 'node:path'
import type { TestScope } from './container.ts'
import { COMMAND, processEnv } from './service-process.ts'
import { until } from './until.ts'

/** Generous for a busy machine. */
const LIMIT_MS = 60_000
const END = '\nend of the commands\n'

export interface ShellOptions {
  /** The working directory, and the home of the user. */
  readonly folder: string
  /** Variables in addition to `PATH`, `HOME` and the one of the compile cache; no others are set. */
  readonly env?: NodeJS.ProcessEnv
  /** Texts that the reader would change in the commands, such as ports and paths, in order. */
  readonly replace?: Readonly<Record<string, string>>
  /** Folders of programs that come first on the `PATH`. */
  readonly programs?: readonly string[]
}

/** Replaces texts by others, one after the other. */
export function replaceAll(text: string, replacements: Readonly<Record<string, string>>): string {
  return Object.entries(replacements).reduce((result, [from, to]) => result.replaceAll(from, to), text)
}

/** Opens a shell, in which `npx zatgate` is the command of this checkout. It ends with the test. */
export function openShell(test: TestScope, options: ShellOptions): Shell {
  const shell = new Shell(options)
  test.after(async () => shell.close())
  return shell
}

/** A bash session, in which the commands of a document run one after the other, as pasted. */
export class Shell {
  readonly folder: string
  readonly #replace: Readonly<Record<string, string>>
  readonly #child: ChildProcess
  #output = ''
  #errors = ''
  #isClosed = false

  constructor({ folder, env, replace = {}, programs = [] }: ShellOptions) {
    this.folder = folder
    this.#replace = replace
    const PATH = [...programs, dirname(process.execPath), process.env.PATH].join(':')
    this.#child = spawn('bash', ['-eu', '-o', 'pipefail'], {
      cwd: folder,
      env: { ...processEnv({ HOME: folder, ...env }), PATH },
      detached: true,
    })
    this.#child.stdout?.setEncoding('utf8').on('data', text => (this.#output += text))
    this.#child.stderr?.setEncoding('utf8').on('data', text => (this.#errors += text))
    this.#child.stdin?.on('error', () => undefined)
    this.#child.on('close', () => (this.#isClosed = true))
    this.#child.stdin?.write(`npx() { shift; ${quoted(process.execPath)} ${quoted(COMMAND)} "$@"; }\n`)
  }

  /** Runs commands to their end. @returns their output @throws after a failed one, which ends the session */
  async run(commands: string): Promise<string> {
    this.#output = ''
    this.#errors = ''
    // The commands must not read the input of the session.
    this.#child.stdin?.write(`eval ${quoted(replaceAll(commands, this.#replace))} </dev/null\nprintf ${quoted(END)}\n`)
    await until(`the end of:\n${commands}`, () => this.#output.endsWith(END) || this.#isClosed, LIMIT_MS)
    if (this.#isClosed) throw new Error(`the commands failed:\n${commands}\n${this.#output}${this.#errors}`)
    return this.#output.slice(0, -END.length)
  }

  /** Runs commands that print JSON. */
  // biome-ignore lint/suspicious/noExplicitAny: tests inspect the value freely
  async json(commands: string): Promise<any> {
    return JSON.parse(await this.run(commands))
  }

  /** The exported variables. */
  environment(): Promise<Readonly<Record<string, string>>> {
    return this.json(`node -p 'JSON.stringify(process.env)'`)
  }

  /** Ends the session, and the programs that it started. */
  close(): void {
    if (!this.#isClosed) process.kill(-(this.#child.pid as number), 'SIGKILL')
  }
}

function quoted(text: string): string {
  return `'${text.replaceAll("'", `'\\''`)}'`
}
