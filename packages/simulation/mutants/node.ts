import { spawn } from 'node:child_process'
import type { Tree } from './tree.ts'

const MAX_OUTPUT_CHARS = 1_000_000

/** The end of a process: its exit code, or the signal that ended it, the start of its output and the end of its errors. */
interface Ended {
  readonly code: number | null
  readonly signal: NodeJS.Signals | null
  readonly stdout: string
  readonly stderr: string
}

/** Runs Node in the tree. The process is killed after `timeoutMs`, and when this process exits. */
export async function runNode({ path }: Tree, args: readonly string[], timeoutMs: number): Promise<Ended> {
  // Without this variable, which a surrounding test run sets, a process of Node would report to that run.
  const { NODE_TEST_CONTEXT: _, ...env } = process.env
  const child = spawn(process.execPath, args, {
    cwd: path,
    env,
    stdio: ['ignore', 'pipe', 'pipe'],
    timeout: timeoutMs,
  })
  const killChild = () => child.kill('SIGKILL')
  process.once('exit', killChild)
  let stdout = ''
  let stderr = ''
  child.stdout.setEncoding('utf8').on('data', chunk => {
    if (stdout.length < MAX_OUTPUT_CHARS) stdout += chunk
  })
  child.stderr.setEncoding('utf8').on('data', chunk => {
    stderr = (stderr + chunk).slice(-MAX_OUTPUT_CHARS)
  })
  const [code, signal] = await new Promise<[number | null, NodeJS.Signals | null]>((resolve, reject) => {
    child.once('error', reject)
    child.once('close', (...end) => resolve(end))
  })
  process.off('exit', killChild)
  return { code, signal, stdout, stderr }
}
