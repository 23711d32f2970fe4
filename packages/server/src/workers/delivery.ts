import { ROOM, roomAfter } from '../domain/webhook.ts'
import type { EndedAttempt } from '../ports/repository/webhook.ts'
import type { Clock, DeliveryMeter, Log, Store } from '../ports.ts'
import type { Deliveries, Job, Room } from '../services/delivery.ts'
import type { Next } from './loop.ts'
import { startLoop } from './loop.ts'

export interface DeliveryWorker {
  /** Takes up nothing more, and resolves when what is under way has ended and is written: a few seconds. */
  stop(): Promise<void>
}

export interface DeliveryOptions {
  readonly deliveries: Deliveries
  readonly store: Pick<Store, 'listen'>
  readonly clock: Clock
  readonly log: Log
  readonly meter: DeliveryMeter
  /** Attempts under way in this process, over all accounts. Default 512. */
  readonly most?: number
}

const MOST = 512
/** Wakes and the alarm do the work; this is for what they miss. */
const IDLE_MS = 5_000
const ROOMS_KEPT = 10_000
const NO_ROOM: Room = { total: 0, of: () => 0, full: [] }

/**
 * Delivers what is due. Each turn writes what has ended and takes up more; the sending itself goes on beside it. So a
 * receiver that hangs holds its own few places and nothing else.
 */
export function startDelivery(options: DeliveryOptions): DeliveryWorker {
  const { deliveries, clock, log, meter, most = MOST } = options
  const places = new Places(most)
  const attempts = new Set<Promise<void>>()
  const ended: EndedAttempt[] = []
  let alarm = new AbortController()

  async function attempt(job: Job): Promise<void> {
    const outcome = await deliveries.attempt(job)
    const succeeded = outcome.error === null
    meter.attempt(succeeded ? 'success' : 'failure')
    places.learn(outcome.accountId, succeeded)
    ended.push(outcome)
    loop.wake()
  }

  function start(job: Job): void {
    const made = attempt(job).finally(() => attempts.delete(made))
    attempts.add(made)
  }

  /** Writes what has ended, which frees its places, and takes up more; if it fails, all is as it was. */
  async function turn(roomNow: () => Room): ReturnType<Deliveries['turn']> {
    const written = ended.splice(0)
    for (const { accountId } of written) places.free(accountId)
    try {
      const taken = await deliveries.turn(written, roomNow())
      for (const { delivery } of taken.jobs) places.take(delivery.accountId)
      return taken
    } catch (error) {
      for (const { accountId } of written) places.take(accountId)
      ended.unshift(...written)
      throw error
    } finally {
      meter.underWay(places.used)
    }
  }

  async function run(signal: AbortSignal): Promise<Next> {
    if (signal.aborted) return 'idle'
    const { jobs, nextDueAtMs } = await turn(() => places.room())
    for (const job of jobs) start(job)
    setAlarm(nextDueAtMs)
    return jobs.length > 0 ? 'again' : 'idle'
  }

  function setAlarm(atMs: number | null): void {
    alarm.abort()
    alarm = new AbortController()
    const { signal } = alarm
    const restMs = atMs === null ? Number.POSITIVE_INFINITY : Math.max(0, atMs - clock.nowMs())
    if (restMs > IDLE_MS) return
    void clock.sleep(restMs, signal).then(() => signal.aborted || loop.wake())
  }

  const loop = startLoop({
    name: 'delivery',
    run,
    idleMs: IDLE_MS,
    clock,
    log,
    wakeOn: wake => options.store.listen('deliveries', wake),
  })
  return {
    async stop() {
      await loop.stop()
      alarm.abort()
      await Promise.all(attempts)
      if (ended.length === 0) return
      await turn(() => NO_ROOM).catch(error =>
        log.error({ err: error, attempts: ended.length }, 'ends of attempts not written: they will be made again'),
      )
    },
  }
}

/** Who has how many attempts under way, and how many more they may have. */
class Places {
  readonly #most: number
  readonly #used = new Map<number, number>()
  /** Rooms that experience has changed; the longest unused are forgotten first. */
  readonly #rooms = new Map<number, number>()
  used = 0

  constructor(most: number) {
    this.#most = most
  }

  room(): Room {
    const of = (accountId: number) => this.#roomOf(accountId) - (this.#used.get(accountId) ?? 0)
    return { total: this.#most - this.used, of, full: [...this.#used.keys()].filter(accountId => of(accountId) <= 0) }
  }

  take(accountId: number): void {
    this.used += 1
    this.#used.set(accountId, (this.#used.get(accountId) ?? 0) + 1)
  }

  free(accountId: number): void {
    this.used -= 1
    const left = (this.#used.get(accountId) ?? 1) - 1
    if (left > 0) this.#used.set(accountId, left)
    else this.#used.delete(accountId)
  }

  /** A good receiver gets more room, a bad one less. */
  learn(accountId: number, succeeded: boolean): void {
    const room = roomAfter(this.#roomOf(accountId), succeeded)
    this.#rooms.delete(accountId)
    this.#rooms.set(accountId, room)
    if (this.#rooms.size <= ROOMS_KEPT) return
    const [oldest] = this.#rooms.keys()
    if (oldest !== undefined) this.#rooms.delete(oldest)
  }

  #roomOf(accountId: number): number {
    return this.#rooms.get(accountId) ?? ROOM.first
  }
}
