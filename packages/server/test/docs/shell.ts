import { type ChildProcess, spawn } from 'node:child_process'
import { writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { until } from '../harness/until.ts'

const LIMIT_MS = 30_000
const END = '\nend of the commands\n'

/** A bash session, in which the commands of a document run one after the other, as pasted. */
export class Shell {
  readonly #folder: string
  readonly #adapt: (commands: string) => string
  readonly #child: ChildProcess
  #output = ''
  #errors = ''
  #isClosed = false

  /** @param adapt changes commands before they run, such as addresses */
  constructor(folder: string, adapt: (commands: string) => string) {
    this.#folder = folder
    this.#adapt = adapt
    const PATH = `${dirname(process.execPath)}:${process.env.PATH}`
    this.#child = spawn('bash', ['-eu', '-o', 'pipefail'], { cwd: folder, env: { ...process.env, PATH } })
    this.#child.stdout?.on('data', chunk => (this.#output += chunk))
    this.#child.stderr?.on('data', chunk => (this.#errors += chunk))
    this.#child.on('close', () => (this.#isClosed = true))
  }

  /** Runs commands to their end. @returns what they printed @throws after a failed one, which ends the session */
  async run(commands: string): Promise<string> {
    const script = join(this.#folder, '.commands')
    writeFileSync(script, this.#adapt(commands))
    this.#output = ''
    this.#child.stdin?.write(`. '${script}' </dev/null\nprintf '${END.replaceAll('\n', '\\n')}'\n`)
    await until(`the end of:\n${commands}`, () => this.#output.endsWith(END) || this.#isClosed, LIMIT_MS)
    if (this.#isClosed) throw new Error(`the commands failed:\n${commands}${this.#errors}`)
    return this.#output.slice(0, -END.length)
  }

  /** Runs commands that print JSON. */
  // biome-ignore lint/suspicious/noExplicitAny: tests inspect the value freely
  async json(commands: string): Promise<any> {
    return JSON.parse(await this.run(commands))
  }

  close(): void {
    this.#child.kill('SIGKILL')
  }
}
