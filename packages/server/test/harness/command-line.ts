import { Writable } from 'node:stream'
import { run } from '../../src/cli/main.ts'
import type { Env } from '../../src/config/settings.ts'

/** Runs a command in this process. @returns its exit code and its output */
export async function runCommand(args: readonly string[], env: Env) {
  const output = { out: '', err: '' }
  const writerTo = (name: 'out' | 'err') =>
    new Writable({
      write(chunk, _encoding, done) {
        output[name] += chunk
        done()
      },
    })
  const code = await run(args, { env, stdout: writerTo('out'), stderr: writerTo('err') })
  return { code, ...output, json: () => JSON.parse(output.out) }
}
