import { AsyncLocalStorage } from 'node:async_hooks'
import { Draw } from './draw.ts'

const realSetImmediate = setImmediate
const realNextTick = process.nextTick.bind(process)

/** Owns tasks and timers. When it dies, they never run. */
export interface Owner {
  readonly name: string
  readonly alive: boolean
}

interface Task {
  readonly owner: Owner
  readonly resume: () => void
}

/** A pending timer. */
export interface Timer {
  readonly owner: Owner
  readonly atMs: number
  readonly fire: () => void
  /** Position in the list of timers; -1 when it is no longer pending. */
  index: number
}

/** The world outside the simulated processes: wallets, merchants, servers. */
export const WORLD: Owner = { name: 'world', alive: true }

const owners = new AsyncLocalStorage<Owner>()

/** Runs `work`, and everything that it starts, as part of `owner`. */
export function runAs<T>(owner: Owner, work: () => T): T {
  return owners.run(owner, work)
}

/** The owner of the running code. */
export function currentOwner(): Owner {
  return owners.getStore() ?? WORLD
}

/**
 * Runs all simulated processes and the world on one thread. Code runs until it awaits a pause or a timer; the scheduler
 * then resumes one of the waiting tasks, drawn at random. Time stands still except in `advance`.
 */
export class Scheduler {
  /** The true time in Unix milliseconds. */
  nowMs: number
  /** The probability that a pause lets other tasks run. */
  switchRate = 1
  /** The probability that a due timer fires at the next advance of the time. Others fire later, as on a busy machine. */
  punctuality = 1
  /** Tasks resumed so far. */
  resumed = 0
  /** How often all tasks had been resumed. */
  idles = 0
  /** The time at which they last were. What runs now may have begun then. */
  idleAtMs: number
  /** When the time last advanced by over a second while tasks could run. Their time limits pass, as in a suspended machine. */
  suspendedAtMs = Number.NEGATIVE_INFINITY
  draw: Draw
  readonly #ready: Task[] = []
  readonly #timers: Timer[] = []
  /** The last time that an owner stands or stood still, in Unix milliseconds. */
  readonly #stalls = new Map<Owner, { readonly fromMs: number; readonly untilMs: number }>()

  constructor(seed: number, nowMs: number) {
    this.draw = new Draw(seed, 'scheduler')
    this.nowMs = nowMs
    this.idleAtMs = nowMs
  }

  /** Lets other tasks run. A dead owner never returns from it. */
  pause(): Promise<void> | undefined {
    const owner = currentOwner()
    if (owner.alive && !this.draw.chance(this.switchRate)) return undefined
    return this.yield()
  }

  /** As `pause`, always. */
  yield(): Promise<void> {
    const owner = currentOwner()
    return new Promise(resume => {
      if (owner.alive) this.#ready.push({ owner, resume })
    })
  }

  /** Runs `fire` as a separate task. */
  enqueue(fire: () => void): void {
    this.#ready.push({ owner: currentOwner(), resume: fire })
  }

  /** Calls `fire` when `ms` have passed, whole ones as in Node: no clock shows a part of one. */
  startTimer(ms: number, fire: () => void): Timer {
    const delayMs = Number.isFinite(ms) ? Math.max(0, Math.trunc(ms)) : 2 ** 31
    const timer = { owner: currentOwner(), atMs: this.nowMs + delayMs, fire, index: this.#timers.length }
    this.#timers.push(timer)
    return timer
  }

  cancelTimer(timer: Timer): void {
    const { index } = timer
    if (index < 0) return
    const last = this.#timers.pop()!
    if (last !== timer) {
      this.#timers[index] = last
      last.index = index
    }
    timer.index = -1
  }

  /** Lets nothing of this owner run for this time, as on a machine that is suspended. Its timers then fire late. */
  stall(owner: Owner, ms: number): void {
    const fromMs = this.standsStill(owner) ? this.#stalls.get(owner)!.fromMs : this.nowMs
    this.#stalls.set(owner, { fromMs, untilMs: this.nowMs + ms })
  }

  /** Ends all stalls. */
  resumeStalled(): void {
    for (const [owner, { fromMs, untilMs }] of this.#stalls)
      this.#stalls.set(owner, { fromMs, untilMs: Math.min(untilMs, this.nowMs) })
  }

  standsStill(owner: Owner): boolean {
    return (this.#stalls.get(owner)?.untilMs ?? 0) > this.nowMs
  }

  /** How long an owner has stood still since a time. Of several stalls, the last one counts. */
  stoodStillMs(owner: Owner, sinceMs: number): number {
    const { fromMs, untilMs } = this.#stalls.get(owner) ?? { fromMs: 0, untilMs: 0 }
    return Math.max(0, Math.min(untilMs, this.nowMs) - Math.max(fromMs, sinceMs))
  }

  /** The index of a waiting task drawn at random; -1: none can run. */
  #drawTask(): number {
    const { length } = this.#ready
    const isAnyStalled = this.#stalls.size > 0 && this.#ready.some(({ owner }) => this.standsStill(owner))
    if (!isAnyStalled) return length === 1 ? 0 : length === 0 ? -1 : Math.floor(this.draw.float() * length)
    const running = [...this.#ready.keys()].filter(index => !this.standsStill(this.#ready[index]!.owner))
    return running.length === 0 ? -1 : this.draw.pick(running)
  }

  /** Drops the tasks and timers of dead owners. */
  removeDead(): void {
    for (let i = this.#ready.length - 1; i >= 0; i--) if (!this.#ready[i]!.owner.alive) this.#ready.splice(i, 1)
    for (const timer of this.#timers.filter(({ owner }) => !owner.alive)) this.cancelTimer(timer)
  }

  /** Whether no task can run before the time advances. */
  get isIdle(): boolean {
    return this.#ready.length === 0
  }

  /** Whether a timer is overdue, because timers are not punctual. */
  get isLate(): boolean {
    return this.#timers.some(({ atMs }) => atMs < this.nowMs)
  }

  /**
   * Resumes waiting tasks until none can run, or `limit` were resumed.
   * @throws Error after `MAX_TASKS` tasks: the simulated code does not come to rest
   */
  async run(limit = Number.POSITIVE_INFINITY): Promise<void> {
    for (let count = 0; ; count++) {
      await microtasksDone()
      if (count >= limit) return
      if (this.#ready.length === 0) await nextTurn()
      const index = this.#drawTask()
      if (index < 0) {
        this.idles += 1
        this.idleAtMs = this.nowMs
        return
      }
      if (count > MAX_TASKS) throw new Error(`the simulated code does not come to rest within ${MAX_TASKS} tasks`)
      const task = this.#ready[index]!
      const last = this.#ready.pop()!
      if (last !== task) this.#ready[index] = last
      this.resumed += 1
      owners.run(task.owner, task.resume)
    }
  }

  /** Advances the time at once: timers that are due meanwhile fire late. */
  advance(ms: number): void {
    this.nowMs += ms
    if (!this.isIdle && this.nowMs - this.idleAtMs > SUSPENDED_MS) this.suspendedAtMs = this.nowMs
    const due = this.#timers.filter(
      ({ atMs, owner }) =>
        atMs <= this.nowMs &&
        !this.standsStill(owner) &&
        (this.punctuality === 1 || this.draw.chance(this.punctuality)),
    )
    due.sort((a, b) => a.atMs - b.atMs)
    for (const timer of due) {
      this.cancelTimer(timer)
      if (timer.owner.alive) this.#ready.push({ owner: timer.owner, resume: timer.fire })
    }
  }

  /** Advances the time from timer to timer and runs all tasks at each. At most `maxStops` stops, then at once. */
  async advanceByTimers(ms: number, maxStops: number): Promise<void> {
    const endMs = this.nowMs + ms
    for (let stops = 0; stops < maxStops; stops++) {
      const nextMs = this.#timers.reduce(
        (least, { atMs, owner }) => Math.min(least, Math.max(atMs, this.#stalls.get(owner)?.untilMs ?? atMs)),
        endMs,
      )
      if (nextMs >= endMs) break
      this.advance(Math.max(0, nextMs - this.nowMs))
      await this.run()
    }
    this.advance(endMs - this.nowMs)
  }
}

const MAX_TASKS = 200_000
const SUSPENDED_MS = 1_000

/** Resolves when all code has run that waits for nothing: a tick begins only after the last microtask. */
function microtasksDone(): Promise<void> {
  return new Promise(resolve => {
    realNextTick(resolve)
  })
}

function nextTurn(): Promise<void> {
  return new Promise(resolve => {
    realSetImmediate(resolve)
  })
}
