import { Worker } from 'node:worker_threads'
import { Fault } from '../../domain/error.ts'
import type { Answers, Job, Message, Reply } from './messages.ts'

export interface PoolOptions {
  /** Threads, started when there is work for them, if not before. */
  readonly size: number
  /** Jobs that wait for a thread; beyond, a caller is turned away. */
  readonly maxQueued: number
  /** A thread that takes longer over one job counts as crashed. */
  readonly jobLimitMs: number
  /** Told when a thread is lost. */
  readonly onCrash: (error: unknown) => void
  readonly script?: URL
}

interface Task {
  readonly job: Job
  readonly resolve: (answer: Answers[Job['kind']]) => void
  readonly reject: (error: unknown) => void
  attempts: number
}

interface Thread {
  readonly worker: Worker
  /** The keys it has, by their ids. */
  readonly keys: Map<number, Uint8Array>
  busy: { readonly task: Task; readonly timer: NodeJS.Timeout } | null
}

const SCRIPT = new URL('./worker.ts', import.meta.url)
const MAX_ATTEMPTS = 2
const MAX_KEYS_IN_THREAD = 50_000
const THREAD_HEAP_MB = 512

/**
 * Worker threads with one queue before them. A thread that crashes is replaced, and its job given to another one, once;
 * a job that fails by itself, or crashes twice, is an error for whoever asked.
 */
export class ViewerPool {
  readonly #options: PoolOptions
  readonly #threads = new Set<Thread>()
  readonly #queue: Task[] = []
  #closed = false

  constructor(options: PoolOptions) {
    this.#options = options
  }

  /** Starts the threads before there is work for them. */
  start(): void {
    while (!this.#closed && this.#threads.size < this.#options.size) this.#startThread()
  }

  run<K extends Job['kind']>(job: Extract<Job, { kind: K }>): Promise<Answers[K]> {
    return new Promise<Answers[K]>((resolve, reject) => {
      if (this.#closed) return reject(unavailable('the viewer is closed'))
      if (this.#queue.length >= this.#options.maxQueued) return reject(unavailable('too many jobs wait for the viewer'))
      this.#queue.push({ job, resolve: answer => resolve(answer as Answers[K]), reject, attempts: 0 })
      this.#dispatch()
    })
  }

  async close(): Promise<void> {
    this.#closed = true
    for (const task of this.#queue.splice(0)) task.reject(unavailable('the viewer is closed'))
    const threads = [...this.#threads]
    this.#threads.clear()
    for (const { busy } of threads) {
      if (!busy) continue
      clearTimeout(busy.timer)
      busy.task.reject(unavailable('the viewer is closed'))
    }
    await Promise.all(threads.map(({ worker }) => worker.terminate()))
  }

  #dispatch(): void {
    while (this.#queue.length > 0) {
      const thread = this.#idleThread()
      if (!thread) return
      this.#give(thread, this.#queue.shift()!)
    }
  }

  #idleThread(): Thread | undefined {
    for (const thread of this.#threads) if (!thread.busy) return thread
    return this.#threads.size < this.#options.size ? this.#startThread() : undefined
  }

  #startThread(): Thread {
    const worker = new Worker(this.#options.script ?? SCRIPT, {
      env: {},
      execArgv: [],
      resourceLimits: { maxOldGenerationSizeMb: THREAD_HEAP_MB },
    })
    const thread: Thread = { worker, keys: new Map(), busy: null }
    this.#threads.add(thread)
    worker.on('message', (reply: Reply) => this.#finish(thread, reply))
    worker.on('messageerror', error => this.#lose(thread, error))
    worker.on('error', error => this.#lose(thread, error))
    worker.on('exit', code => this.#lose(thread, new Error(`a viewer thread ended with code ${code}`)))
    return thread
  }

  #give(thread: Thread, task: Task): void {
    task.attempts += 1
    const tooLong = () => this.#lose(thread, new Error('a viewer thread took too long over a job'))
    thread.busy = { task, timer: setTimeout(tooLong, this.#options.jobLimitMs) }
    thread.worker.postMessage(messageFor(thread, task.job))
  }

  #finish(thread: Thread, reply: Reply): void {
    const busy = thread.busy
    if (!busy) return
    clearTimeout(busy.timer)
    thread.busy = null
    if ('error' in reply) busy.task.reject(new Error(`a viewer thread failed: ${reply.error}`))
    else busy.task.resolve(reply.answer)
    this.#dispatch()
  }

  /** Comes several times for one crash; the first time counts. */
  #lose(thread: Thread, error: unknown): void {
    if (!this.#threads.delete(thread)) return
    this.#options.onCrash(error)
    void thread.worker.terminate()
    const busy = thread.busy
    if (busy) {
      clearTimeout(busy.timer)
      if (busy.task.attempts < MAX_ATTEMPTS) this.#queue.unshift(busy.task)
      else busy.task.reject(new Error('a viewer thread crashed twice over a job', { cause: error }))
    }
    this.#dispatch()
  }
}

function messageFor(thread: Thread, job: Job): Message {
  if (job.kind !== 'open') return job
  const { keys, pool, actions } = job
  const forget = thread.keys.size + keys.length > MAX_KEYS_IN_THREAD
  if (forget) thread.keys.clear()
  const newKeys = keys
    .filter(({ id, incoming }) => !sameBytes(thread.keys.get(id), incoming))
    .map(({ id, incoming }) => ({ id, incoming: new Uint8Array(incoming) }))
  for (const { id, incoming } of newKeys) thread.keys.set(id, incoming)
  return { kind: 'open', keyIds: keys.map(key => key.id), newKeys, forget, pool, actions }
}

/** An id that came to stand for another key would open nothing, and nobody would know. */
function sameBytes(known: Uint8Array | undefined, given: Uint8Array): boolean {
  return known !== undefined && (known === given || Buffer.compare(known, given) === 0)
}

function unavailable(cause: string): Fault {
  return new Fault('unavailable', 'viewer_unavailable', 'service unavailable', { retryAfterSecs: 1, cause })
}
