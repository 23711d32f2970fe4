import { Writable } from 'node:stream'
import { run } from '../../src/cli/main.ts'
import type { Env } from '../../src/config/settings.ts'

export interface CommandOptions {
  /** Makes standard output and standard error terminals of this width. */
  readonly columns?: number
  /** Called with each text written to standard error. */
  readonly onError?: (text: string) => void
}

/** Runs a command in this process. @returns its exit code and its output */
export async function runCommand(args: readonly string[], env: Env, { columns, onError }: CommandOptions = {}) {
  const output = { out: '', err: '' }
  const writerTo = (name: 'out' | 'err') =>
    new Writable({
      write(chunk, _encoding, done) {
        output[name] += chunk
        if (name === 'err') onError?.(String(chunk))
        done()
      },
    })
  const terminal = columns === undefined ? {} : { isTTY: true, columns }
  const [stdout, stderr] = [Object.assign(writerTo('out'), terminal), Object.assign(writerTo('err'), terminal)]
  const code = await run(args, { env, stdout, stderr })
  return { code, ...output, json: () => JSON.parse(output.out) }
}

/** Sends this process a stop signal at the first progress: the handlers of the command run, and no others. */
export function stopAtProgress(signal: 'SIGINT' | 'SIGTERM' = 'SIGINT'): CommandOptions {
  let isSent = false
  return {
    columns: 120,
    onError(text) {
      if (isSent || !text.includes('%')) return
      isSent = true
      process.emit(signal, signal)
    },
  }
}
