import { Writable } from 'node:stream'
import { run } from '../../src/cli/main.ts'
import type { Env } from '../../src/config/settings.ts'

/** Runs a command line in this process: its exit code, and what it wrote. */
export async function runCommand(words: readonly string[], env: Env) {
  const written = { out: '', err: '' }
  const into = (name: 'out' | 'err') =>
    new Writable({
      write(chunk, _encoding, done) {
        written[name] += chunk
        done()
      },
    })
  const code = await run(words, { env, stdout: into('out'), stderr: into('err') })
  return { code, ...written, json: () => JSON.parse(written.out) }
}
