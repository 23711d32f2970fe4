import { spawnSync } from 'node:child_process'

/** The reason to skip a test that needs a program; false when it is installed, and in CI, where the test fails instead. */
export function missingProgram(program: string, versionArgument = '--version'): string | false {
  const isMissing = spawnSync(program, [versionArgument]).error !== undefined
  return isMissing && process.env.CI !== 'true' && `${program} is not installed`
}
