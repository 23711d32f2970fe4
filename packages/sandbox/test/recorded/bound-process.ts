import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import type { Socket } from 'node:net'
import { createServer } from 'node:net'

/** A child process that cannot outlive this one, however this one ends. */
export interface BoundProcess {
  readonly child: ChildProcess
  /** The exit code; null when a signal ended it. */
  readonly exited: Promise<number | null>
  /** Sends the signal and waits for the exit. Does nothing once it has exited. */
  kill(signal?: NodeJS.Signals): Promise<void>
}

/** Starts a program. Its standard output is a pipe; `errors` says where its standard error goes (a number: a file descriptor). */
export function spawnBound(
  command: string,
  args: readonly string[],
  options: {
    readonly cwd?: string
    readonly env?: NodeJS.ProcessEnv
    readonly errors?: 'inherit' | 'ignore' | number
  } = {},
): BoundProcess {
  const { errors = 'inherit', ...rest } = options
  const child = spawn(command, args, { ...rest, stdio: ['ignore', 'pipe', errors] })
  const exited = once(child, 'exit').then(([code]) => code as number | null)
  // A failed start is reported to whoever waits for the exit.
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

/** A shell whose standard input this process holds: when the input ends, it kills the child. */
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

/** A TCP port on loopback that nobody listens on at the moment. */
export async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as { port: number }
  server.close()
  await once(server, 'close')
  return port
}

/** Rejects with `message` when the work takes longer than `ms`. */
export async function within<T>(ms: number, message: () => string, work: Promise<T>): Promise<T> {
  let timer: NodeJS.Timeout | undefined
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new Error(message())), ms)
  })
  try {
    return await Promise.race([work, late])
  } finally {
    clearTimeout(timer)
  }
}
