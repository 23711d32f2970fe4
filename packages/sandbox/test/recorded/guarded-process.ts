import { type ChildProcess, spawn } from 'node:child_process'
import { randomInt } from 'node:crypto'
import { once } from 'node:events'
import type { Socket } from 'node:net'
import { createServer } from 'node:net'

/** A child process that never outlives this process. */
export interface GuardedProcess {
  readonly child: ChildProcess
  /** The exit code; null when a signal ended it. */
  readonly exited: Promise<number | null>
  /** Sends the signal and waits for the exit. Does nothing once it has exited. */
  kill(signal?: NodeJS.Signals): Promise<void>
}

/** Starts a program. Its standard output is a pipe; `errors` is the target of its standard error (a number: a file descriptor). */
export function spawnGuarded(
  command: string,
  args: readonly string[],
  options: {
    readonly cwd?: string
    readonly env?: NodeJS.ProcessEnv
    readonly errors?: 'inherit' | 'ignore' | number
  } = {},
): GuardedProcess {
  const { errors = 'inherit', ...rest } = options
  const child = spawn(command, args, { ...rest, stdio: ['ignore', 'pipe', errors] })
  const exited = once(child, 'exit').then(([code]) => code as number | null)
  // A failed start is reported to callers that await `exited`.
  exited.catch(() => undefined)
  if (child.pid !== undefined) guard(child.pid, exited)
  return {
    child,
    exited,
    async kill(signal = 'SIGKILL') {
      if (child.exitCode === null && child.signalCode === null) child.kill(signal)
      await exited
    },
  }
}

/** Starts a shell that reads from this process and kills the child when its input ends. */
function guard(pid: number, exited: Promise<unknown>): void {
  const script = `trap '' INT TERM HUP; cat > /dev/null; kill -KILL ${pid}`
  const shell = spawn('sh', ['-c', script], { stdio: ['pipe', 'ignore', 'ignore'], detached: true })
  shell.unref()
  const input = shell.stdin as unknown as Socket
  input.unref()
  input.on('error', () => undefined)
  const release = () => {
    shell.kill('SIGKILL')
    input.destroy()
  }
  exited.then(release, release)
}

/** A free TCP port on loopback, below those that systems give to outgoing connections and to `listen(0)`. */
export async function freePort(): Promise<number> {
  for (let attempt = 1; ; attempt++) {
    const port = randomInt(20_000, 32_768)
    const server = createServer().listen(port, '127.0.0.1')
    const [listening] = await Promise.allSettled([once(server, 'listening')])
    if (listening.status === 'rejected' && attempt < 100) continue
    if (listening.status === 'rejected') throw listening.reason
    server.close()
    await once(server, 'close')
    return port
  }
}

/** Rejects with `message` when the operation takes longer than `ms`. */
export async function withTimeout<T>(ms: number, message: () => string, operation: Promise<T>): Promise<T> {
  let timer: NodeJS.Timeout | undefined
  const timeout = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new Error(message())), ms)
  })
  try {
    return await Promise.race([operation, timeout])
  } finally {
    clearTimeout(timer)
  }
}
