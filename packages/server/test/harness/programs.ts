import { spawn, spawnSync } from 'node:child_process'
import { basename } from 'node:path'
import type { TestContext } from 'node:test'
import { leftOut } from '../../../zcash/test/left-out.ts'

/** The reason to skip a test that needs a program; false when it is installed, and in CI, where the test fails instead. */
export function missingProgram(program: string, versionArgument = '--version'): string | false {
  const reason = leftOut(basename(program))
  if (reason !== false) return reason
  const isMissing = spawnSync(program, [versionArgument]).error !== undefined
  return isMissing && process.env.CI !== 'true' && `${program} is not installed`
}

/**
 * Starts a program that ends with the test, and with it the programs that it started.
 * @returns its output so far, and its exit code when it has ended
 */
export function startProgram(
  t: TestContext,
  [program = '', ...args]: readonly string[],
  { env, cwd }: { env: NodeJS.ProcessEnv; cwd?: string },
): { output: () => string; exitCode: () => number | null } {
  const child = spawn(program, args, { detached: true, env: { ...process.env, ...env }, ...(cwd && { cwd }) })
  t.after(() => child.exitCode === null && process.kill(-(child.pid as number), 'SIGKILL'))
  let output = ''
  for (const stream of [child.stdout, child.stderr]) stream?.on('data', chunk => (output += chunk))
  return { output: () => output, exitCode: () => child.exitCode }
}
