import { constants } from 'node:os'
import { onParentExit } from './parent-process.ts'

/** Ctrl-C arrives twice, from the terminal and from the launcher. A second signal within this time is the same Ctrl-C. */
const REPEATED_SIGNAL_MS = 1_000

const STOP_SIGNALS = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const
type StopSignal = (typeof STOP_SIGNALS)[number]

/** The command was stopped and has undone what was half-done. The process prints the message and exits with the code. */
export class StoppedError extends Error {
  /** 128 and the number of the signal, as in a shell. */
  readonly exitCode: number

  constructor(message: string, exitCode: number) {
    super(message)
    this.name = 'StoppedError'
    this.exitCode = exitCode
  }
}

/**
 * Calls back at the first stop signal, or when the launcher exits. A later signal ends the process at once.
 * @returns a function that stops listening
 */
export function onStopSignal(callback: (reason: StopSignal | 'launcher exited') => void): () => void {
  let requestedAt: number | undefined
  let isListening = true
  const listeners = STOP_SIGNALS.map(signal => {
    const listener = () => {
      const now = performance.now()
      if (requestedAt !== undefined && now - requestedAt > REPEATED_SIGNAL_MS) process.exit(exitCodeOf(signal))
      if (requestedAt === undefined) callback(signal)
      requestedAt ??= now
    }
    process.on(signal, listener)
    return [signal, listener] as const
  })
  onParentExit(() => {
    if (isListening && requestedAt === undefined) callback('launcher exited')
  })
  return () => {
    isListening = false
    for (const [signal, listener] of listeners) process.off(signal, listener)
  }
}

/**
 * Runs work that a stop signal aborts.
 * @param describe says what the stop leaves behind, for the message
 * @throws StoppedError when the work was aborted before it was complete
 */
export async function stoppable<T>(describe: () => string, work: (signal: AbortSignal) => Promise<T>): Promise<T> {
  const controller = new AbortController()
  let exitCode = 1
  const release = onStopSignal(reason => {
    exitCode = reason === 'launcher exited' ? 1 : exitCodeOf(reason)
    controller.abort()
  })
  try {
    return await work(controller.signal)
  } catch (error) {
    if (!controller.signal.aborted || error instanceof StoppedError) throw error
    throw new StoppedError(describe(), exitCode)
  } finally {
    release()
  }
}

function exitCodeOf(signal: StopSignal): number {
  return 128 + constants.signals[signal]
}
