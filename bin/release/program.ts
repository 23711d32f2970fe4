import { execFile } from 'node:child_process'
import { ReleaseError } from './error.ts'

/** No step takes longer, the build of an image included. */
const MAX_MS = 20 * 60_000
const MAX_OUTPUT_BYTES = 64 * 1024 * 1024
const SHOWN_LINES = 20

export interface ProgramOptions {
  /** Default: 20 minutes. */
  readonly timeoutMs?: number
}

/**
 * Runs a program to its end in a folder.
 * @returns its standard output, without the final line break
 * @throws ReleaseError with the end of its output when it fails
 */
export function runProgram(
  folder: string,
  program: string,
  args: readonly string[],
  { timeoutMs = MAX_MS }: ProgramOptions = {},
): Promise<string> {
  const options = { cwd: folder, timeout: timeoutMs, maxBuffer: MAX_OUTPUT_BYTES }
  return new Promise((resolve, reject) => {
    execFile(program, args, options, (error, stdout, stderr) => {
      if (!error) return resolve(stdout.replace(/\n$/, ''))
      const printed = [stdout, stderr].join('\n').trim().split('\n').slice(-SHOWN_LINES).join('\n')
      reject(new ReleaseError(`${[program, ...args].join(' ')} failed: ${printed || error.message}`))
    })
  })
}

/** Whether a program runs and succeeds. */
export async function succeeds(folder: string, program: string, args: readonly string[]): Promise<boolean> {
  return runProgram(folder, program, args, { timeoutMs: 30_000 }).then(
    () => true,
    () => false,
  )
}
