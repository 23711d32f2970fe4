import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import type { Clock } from '../../ports/clock.ts'

export interface ProcessUsage {
  /** CPU time since the start of the process, of all its threads. */
  readonly cpuMs: number
  /** Resident memory. */
  readonly bytes: number
}

const INTERVAL_MS = 10_000
/** A process that used more CPU time in an interval does not rest. */
const MAX_CPU_MS = 300
/** A collection blocks the thread for 50 ms with a heap of 50 MB, 100 ms with 120 MB: less growth is not worth one. */
const MIN_GROWTH_BYTES = 8 * 1024 * 1024

/**
 * Returns unused memory to the operating system when the process rests after work. V8 does so by itself only while much
 * is allocated: what a start or a burst of requests leaves would stay resident.
 */
export function releaseMemoryAtRest({
  clock,
  usage = processUsage,
  collect = collectGarbage,
}: {
  readonly clock: Pick<Clock, 'sleep'>
  readonly usage?: () => ProcessUsage
  readonly collect?: () => void
}): { stop(): void } {
  const stopped = new AbortController()
  void (async () => {
    let bytesAtRest = 0
    for (let { cpuMs } = usage(); ; ) {
      await clock.sleep(INTERVAL_MS, stopped.signal)
      if (stopped.signal.aborted) return
      const now = usage()
      const rests = now.cpuMs - cpuMs <= MAX_CPU_MS
      cpuMs = now.cpuMs
      bytesAtRest = Math.min(bytesAtRest, now.bytes)
      if (!rests || now.bytes < bytesAtRest + MIN_GROWTH_BYTES) continue
      collect()
      bytesAtRest = usage().bytes
    }
  })()
  return { stop: () => stopped.abort() }
}

function processUsage(): ProcessUsage {
  const { user, system } = process.cpuUsage()
  return { cpuMs: (user + system) / 1_000, bytes: process.memoryUsage.rss() }
}

/**
 * A new context has the function that the first flag adds; the global object of the process does not get it. With the
 * second, V8 drops the bytecode of functions that are not running, async ones excepted, and compiles again those that are called.
 */
function collectGarbage(): void {
  setFlagsFromString('--expose-gc')
  setFlagsFromString('--stress-flush-code')
  const gc = runInNewContext('gc') as NodeJS.GCFunction
  gc({ type: 'major', execution: 'sync', flavor: 'last-resort' })
  setFlagsFromString('--no-stress-flush-code')
}
