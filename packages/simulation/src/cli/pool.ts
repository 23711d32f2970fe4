import { type ChildProcess, fork } from 'node:child_process'
import { join } from 'node:path'
import { brokenOutcome, type Outcome } from '../run/outcome.ts'

export interface PoolOptions {
  /** The seeds to run, in ascending order. */
  readonly seeds: Iterator<number>
  readonly jobs: number
  /** Asked before each share of seeds: whether to go on. */
  readonly goesOn: () => boolean
  /** Receives the outcomes in the order of the seeds. Returns false to end the run with this seed. */
  readonly onOutcome: (outcome: Outcome) => boolean
}

const WORKER = join(import.meta.dirname, 'worker.ts')
/** Seeds that a process is given at a time. */
const SHARE = 5
/** A run that takes longer does not come to an end: a mutated service may loop. */
const TIMEOUT_MS = 120_000

/** Runs seeds in child processes. What is reported does not depend on their number. */
export async function runInProcesses(options: PoolOptions): Promise<void> {
  const { seeds, jobs, goesOn, onOutcome } = options
  const finished = new Map<number, Outcome>()
  const children = new Set<ChildProcess>()
  const killChildren = () => {
    for (const child of children) child.kill('SIGKILL')
  }
  process.once('exit', killChildren)
  /** Seeds that a process has been given, until they are reported. */
  const order: number[] = []
  let ended = false

  /** Reports what has finished, seed by seed. */
  function report(outcome: Outcome): void {
    finished.set(outcome.seed, outcome)
    for (let ready = finished.get(order[0]!); ready && !ended; ready = finished.get(order[0]!)) {
      finished.delete(order.shift()!)
      ended = !onOutcome(ready)
    }
    if (ended) killChildren()
  }

  /** Empty at the end. */
  function takeShare(): number[] {
    const share: number[] = []
    if (ended || !goesOn()) return share
    while (share.length < SHARE) {
      const { done, value } = seeds.next()
      if (done) break
      share.push(value)
    }
    order.push(...share)
    return share
  }

  async function serve(): Promise<void> {
    let share = takeShare()
    while (share.length > 0) share = await runChild(share)
  }

  /** Runs shares in one child. Returns what is left of a share in which the child broke down; empty at the end. */
  function runChild(start: readonly number[]): Promise<number[]> {
    let share = [...start]
    const child = fork(WORKER, { serialization: 'advanced', execArgv: process.execArgv, env: childEnvironment() })
    children.add(child)
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
          child.send(share)
          return
        }
        report(message)
        share.shift()
        if (share.length > 0) return
        share = takeShare()
        if (share.length > 0) {
          child.send(share)
          return
        }
        stops = true
        child.disconnect()
      })
      child.once('error', reject)
      child.once('exit', (code, signal) => {
        clearTimeout(watch)
        children.delete(child)
        if (stops || ended) return resolve([])
        if (!ready) return reject(new Error('the simulation cannot start'))
        const [broken, ...left] = share
        if (broken !== undefined) report(brokenOutcome(broken, reason || `the process ended with ${signal ?? code}`))
        resolve(left.length > 0 ? left : takeShare())
      })
    })
  }

  await Promise.all(Array.from({ length: jobs }, serve))
  process.off('exit', killChildren)
}

/** Without this variable, which a surrounding test run sets, a process of Node would report to that run. */
function childEnvironment(): NodeJS.ProcessEnv {
  const { NODE_TEST_CONTEXT: _, ...env } = process.env
  return env
}
