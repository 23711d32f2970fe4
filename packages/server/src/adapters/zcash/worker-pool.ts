import { Worker } from 'node:worker_threads'
import { KernelError } from '@zatgate/zcash/errors'
import { AppError } from '../../domain/error.ts'
import type { Clock } from '../../ports/clock.ts'
import type { JobResults, WorkerJob, WorkerMessage, WorkerReply } from './messages.ts'

export interface WorkerPoolOptions {
  /** Maximum number of threads. Threads start on demand or with `start`. */
  readonly size: number
  /** Maximum number of queued jobs. Further jobs are rejected with `viewer_unavailable`. */
  readonly maxQueued: number
  /** A thread that needs longer for one job counts as crashed. */
  readonly jobTimeoutMs: number
  /** All threads end after this time without a job: one that waits holds some 30 MB. */
  readonly idleMs: number
  readonly clock: Pick<Clock, 'sleep'>
  /** Called when a thread is lost. */
  readonly onCrash: (error: unknown) => void
  readonly script?: URL
}

interface Task {
  readonly job: WorkerJob
  readonly resolve: (result: JobResults[WorkerJob['kind']]) => void
  readonly reject: (error: unknown) => void
  readonly isUrgent: boolean
  attempts: number
}

interface Thread {
  readonly worker: Worker
  /** The keys that were sent to the thread, by id. */
  readonly keys: Map<number, Uint8Array>
  busy: { readonly task: Task; readonly timer: NodeJS.Timeout } | null
}

const SCRIPT = new URL('./worker.ts', import.meta.url)
const MAX_ATTEMPTS = 2
const MAX_KEYS_PER_THREAD = 50_000
const THREAD_HEAP_MB = 512

/**
 * A pool of worker threads with a queue. Threads start when there is a job, and end when there has been none for a
 * while. A crashed thread is replaced and its job is retried once. A job that fails, or crashes its thread twice, rejects.
 */
export class WorkerPool {
  readonly #options: WorkerPoolOptions
  readonly #threads = new Set<Thread>()
  /** Urgent jobs go before all others. */
  readonly #urgent: Task[] = []
  readonly #queue: Task[] = []
  #closed = false
  /** Ends the wait of a pool without a job. */
  #idle: AbortController | null = null

  constructor(options: WorkerPoolOptions) {
    this.#options = options
  }

  /** Starts all threads before the first job. */
  start(): void {
    while (!this.#closed && this.#threads.size < this.#options.size) this.#startThread()
    this.#awaitJob()
  }

  /** Queues a job. @throws AppError `viewer_unavailable` when the queue is full or the pool is closed */
  run<K extends WorkerJob['kind']>(job: Extract<WorkerJob, { kind: K }>, isUrgent = false): Promise<JobResults[K]> {
    return new Promise<JobResults[K]>((resolve, reject) => {
      if (this.#closed) return reject(unavailable('the note scanner is closed'))
      if (this.#urgent.length + this.#queue.length >= this.#options.maxQueued)
        return reject(unavailable('the job queue of the note scanner is full'))
      const task = {
        job,
        resolve: (result: unknown) => resolve(result as JobResults[K]),
        reject,
        isUrgent,
        attempts: 0,
      }
      this.#queueOf(task).push(task)
      this.#idle?.abort()
      this.#idle = null
      this.#dispatch()
    })
  }

  async close(): Promise<void> {
    this.#closed = true
    this.#idle?.abort()
    const queued = [...this.#urgent.splice(0), ...this.#queue.splice(0)]
    for (const task of queued) task.reject(unavailable('the note scanner is closed'))
    const threads = [...this.#threads]
    this.#threads.clear()
    for (const { busy } of threads) {
      if (!busy) continue
      clearTimeout(busy.timer)
      busy.task.reject(unavailable('the note scanner is closed'))
    }
    await Promise.all(threads.map(({ worker }) => worker.terminate()))
  }

  #dispatch(): void {
    for (let queue = this.#nextQueue(); queue.length > 0; queue = this.#nextQueue()) {
      const thread = this.#idleThread()
      if (!thread) return
      this.#assign(thread, queue.shift()!)
    }
  }

  #nextQueue(): Task[] {
    return this.#urgent.length > 0 ? this.#urgent : this.#queue
  }

  #queueOf({ isUrgent }: Task): Task[] {
    return isUrgent ? this.#urgent : this.#queue
  }

  #idleThread(): Thread | undefined {
    for (const thread of this.#threads) if (!thread.busy) return thread
    return this.#threads.size < this.#options.size ? this.#startThread() : undefined
  }

  #startThread(): Thread {
    const worker = new Worker(this.#options.script ?? SCRIPT, {
      env: {},
      resourceLimits: { maxOldGenerationSizeMb: THREAD_HEAP_MB },
    })
    const thread: Thread = { worker, keys: new Map(), busy: null }
    this.#threads.add(thread)
    worker.on('message', (reply: WorkerReply) => this.#finish(thread, reply))
    worker.on('messageerror', error => this.#lose(thread, error))
    worker.on('error', error => this.#lose(thread, error))
    worker.on('exit', code => this.#lose(thread, new Error(`a note scanner thread exited with code ${code}`)))
    return thread
  }

  #assign(thread: Thread, task: Task): void {
    task.attempts += 1
    const onTimeout = () => this.#lose(thread, new Error('a note scanner thread exceeded the job timeout'))
    thread.busy = { task, timer: setTimeout(onTimeout, this.#options.jobTimeoutMs) }
    thread.worker.postMessage(messageFor(thread, task.job))
  }

  #finish(thread: Thread, reply: WorkerReply): void {
    const busy = thread.busy
    if (!busy) return
    clearTimeout(busy.timer)
    thread.busy = null
    if ('kernelError' in reply) busy.task.reject(new KernelError(reply.kernelError))
    else if ('error' in reply) busy.task.reject(new Error(`a note scanner job failed: ${reply.error}`))
    else busy.task.resolve(reply.result)
    this.#dispatch()
    this.#awaitJob()
  }

  /** Ends the threads unless a job arrives in time. */
  #awaitJob(): void {
    if (this.#closed || this.#idle || this.#threads.size === 0) return
    if ([...this.#threads].some(({ busy }) => busy)) return
    const idle = new AbortController()
    this.#idle = idle
    void this.#options.clock.sleep(this.#options.idleMs, idle.signal).then(() => {
      if (idle.signal.aborted) return
      this.#idle = null
      const threads = [...this.#threads]
      this.#threads.clear()
      for (const { worker } of threads) void worker.terminate()
    })
  }

  /** May be called several times for one crash. Only the first call has an effect. */
  #lose(thread: Thread, error: unknown): void {
    if (!this.#threads.delete(thread)) return
    this.#options.onCrash(error)
    void thread.worker.terminate()
    const busy = thread.busy
    if (busy) {
      clearTimeout(busy.timer)
      if (busy.task.attempts < MAX_ATTEMPTS) this.#queueOf(busy.task).unshift(busy.task)
      else busy.task.reject(new Error('a job crashed its note scanner thread twice', { cause: error }))
    }
    this.#dispatch()
    this.#awaitJob()
  }
}

function messageFor(thread: Thread, job: WorkerJob): WorkerMessage {
  if (job.kind !== 'scan') return job
  const { keys, pool, actions, plain } = job
  const clearKeys = thread.keys.size + keys.length > MAX_KEYS_PER_THREAD
  if (clearKeys) thread.keys.clear()
  const newKeys = keys
    .filter(({ id, incoming }) => !sameBytes(thread.keys.get(id), incoming))
    .map(({ id, incoming }) => ({ id, incoming: new Uint8Array(incoming) }))
  for (const { id, incoming } of newKeys) thread.keys.set(id, incoming)
  return { kind: 'scan', keyIds: keys.map(key => key.id), newKeys, clearKeys, pool, actions, plain }
}

/** Compares the bytes too: if an id were reused for another key, scans would silently find nothing. */
function sameBytes(known: Uint8Array | undefined, given: Uint8Array): boolean {
  return known !== undefined && (known === given || Buffer.compare(known, given) === 0)
}

function unavailable(cause: string): AppError {
  return new AppError('viewer_unavailable', { cause })
}
