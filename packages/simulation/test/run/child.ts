import { execFile } from 'node:child_process'
import { join } from 'node:path'
import { promisify } from 'node:util'

/** Runs a script of this folder in a separate process: a run replaces the timers of its process. */
export async function runScript(script: string, args: readonly string[]): Promise<unknown> {
  const { NODE_TEST_CONTEXT: _, ...env } = process.env
  const path = join(import.meta.dirname, script)
  const { stdout } = await promisify(execFile)(process.execPath, [path, ...args], { env, maxBuffer: 2 ** 26 })
  return JSON.parse(stdout)
}
