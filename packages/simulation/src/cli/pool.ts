import { type ChildProcess, fork } from 'node:child_process'
import { join } from 'node:path'
import { brokenOutcome, type Outcome } from '../run/outcome.ts'

/** Seeds that follow one another. */
export interface Range {
  readonly first: number
  readonly count: number
}

export interface PoolOptions {
  readonly first: number
  /** How many seeds to run at most. */
  readonly count: number
  readonly jobs: number
  /** Asked before each range of seeds: whether to go on. */
  readonly goesOn: () => boolean
  /** Receives the outcomes in the order of the seeds. Returns false to end the run with this seed. */
  readonly onOutcome: (outcome: Outcome) => boolean
}

const WORKER = join(import.meta.dirname, 'worker.ts')
/** Seeds that a process is given at a time. */
const RANGE = 5
/** A run that takes longer does not come to an end: a mutated service may loop. */
const TIMEOUT_MS = 120_000

/** Runs seeds in child processes. What is reported does not depend on their number. */
export async function runInProcesses(options: PoolOptions): Promise<void> {
  const { first, count, jobs, goesOn, onOutcome } = options
  const finished = new Map<number, Outcome>()
  const children = new Set<ChildProcess>()
  const killChildren = () => {
    for (const child of children) child.kill('SIGKILL')
  }
  process.once('exit', killChildren)
  let next = first
  let reported = first
  let ended = false

  /** Reports what has finished, seed by seed. */
  function report(outcome: Outcome): void {
    finished.set(outcome.seed, outcome)
    for (let ready = finished.get(reported); ready && !ended; ready = finished.get(reported)) {
      finished.delete(reported++)
      ended = !onOutcome(ready)
    }
    if (ended) killChildren()
  }

  function takeRange(): Range | null {
    if (ended || next >= first + count || !goesOn()) return null
    const range = { first: next, count: Math.min(RANGE, first + count - next) }
    next += range.count
    return range
  }

  async function serve(): Promise<void> {
    let range: Range | null = null
    do {
      range = await runChild(range ?? takeRange())
    } while (range)
  }

  /** Runs ranges in one child. Returns what is left of a range in which the child broke down; null at the end. */
  function runChild(start: Range | null): Promise<Range | null> {
    if (!start) return Promise.resolve(null)
    const child = fork(WORKER, { serialization: 'advanced', execArgv: process.execArgv, env: childEnvironment() })
    children.add(child)
    let seed = start.first
    let end = seed + start.count
    let stops = false
    let ready = false
    let reason = ''
    const watch = setTimeout(() => {
      reason = `no result within ${TIMEOUT_MS / 1000} s`
      child.kill('SIGKILL')
    }, TIMEOUT_MS)
    return new Promise((resolve, reject) => {
      child.on('message', (message: Outcome | 'ready') => {
        watch.refresh()
        if (message === 'ready') {
          ready = true
          child.send(start)
          return
        }
        report(message)
        seed = message.seed + 1
        if (seed < end) return
        const range = takeRange()
        if (range) {
          seed = range.first
          end = seed + range.count
          child.send(range)
        } else {
          stops = true
          child.disconnect()
        }
      })
      child.once('error', reject)
      child.once('exit', (code, signal) => {
        clearTimeout(watch)
        children.delete(child)
        if (stops || ended) return resolve(null)
        if (!ready) return reject(new Error('the simulation cannot start'))
        report(brokenOutcome(seed, reason || `the process ended with ${signal ?? code}`))
        resolve(seed + 1 < end ? { first: seed + 1, count: end - seed - 1 } : takeRange())
      })
    })
  }

  await Promise.all(Array.from({ length: Math.min(jobs, count) }, serve))
  process.off('exit', killChildren)
}

/** Without this variable, which a surrounding test run sets, a process of Node would report to that run. */
function childEnvironment(): NodeJS.ProcessEnv {
  const { NODE_TEST_CONTEXT: _, ...env } = process.env
  return env
}
