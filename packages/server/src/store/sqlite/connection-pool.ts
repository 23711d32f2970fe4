import { closingError, overloadedError } from '../limits.ts'

/** At most `size` items, each used by one holder at a time. Further callers wait in a queue. */
export class ConnectionPool<T> {
  readonly #create: () => T
  readonly #size: number
  readonly #maxWaiting: number
  readonly #free: T[] = []
  readonly #all: T[] = []
  readonly #queue: { resolve: (item: T) => void; reject: (error: unknown) => void }[] = []
  #closed: (() => void) | null = null

  constructor(create: () => T, { size, maxWaiting }: { size: number; maxWaiting: number }) {
    this.#create = create
    this.#size = size
    this.#maxWaiting = maxWaiting
  }

  /** @throws AppError `overloaded` when too many callers wait, `closing` after `close` */
  async acquire(): Promise<T> {
    if (this.#closed) throw closingError()
    const free = this.#free.pop()
    if (free !== undefined) return free
    if (this.#all.length < this.#size) {
      const created = this.#create()
      this.#all.push(created)
      return created
    }
    if (this.#queue.length >= this.#maxWaiting) throw overloadedError()
    return new Promise((resolve, reject) => this.#queue.push({ resolve, reject }))
  }

  release(item: T): void {
    const next = this.#queue.shift()
    if (next) next.resolve(item)
    else this.#free.push(item)
    if (this.#free.length === this.#all.length) this.#closed?.()
  }

  /** Rejects waiting and later callers. Resolves with all items, to be closed, once none is in use. */
  async close(): Promise<readonly T[]> {
    const { promise, resolve } = Promise.withResolvers<void>()
    this.#closed = resolve
    for (const { reject } of this.#queue.splice(0)) reject(closingError())
    if (this.#free.length < this.#all.length) await promise
    return this.#all
  }
}
