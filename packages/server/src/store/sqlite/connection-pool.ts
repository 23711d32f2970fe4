import { closing, overloaded } from '../limits.ts'

/** At most `size` of something that one holder uses at a time; the others wait in line. */
export class Pool<T> {
  readonly #make: () => T
  readonly #size: number
  readonly #waiting: number
  readonly #free: T[] = []
  readonly #all: T[] = []
  readonly #line: { resolve: (item: T) => void; reject: (error: unknown) => void }[] = []
  #closed: (() => void) | null = null

  constructor(make: () => T, { size, waiting }: { size: number; waiting: number }) {
    this.#make = make
    this.#size = size
    this.#waiting = waiting
  }

  async acquire(): Promise<T> {
    if (this.#closed) throw closing()
    const free = this.#free.pop()
    if (free !== undefined) return free
    if (this.#all.length < this.#size) {
      const made = this.#make()
      this.#all.push(made)
      return made
    }
    if (this.#line.length >= this.#waiting) throw overloaded()
    return new Promise((resolve, reject) => this.#line.push({ resolve, reject }))
  }

  release(item: T): void {
    const next = this.#line.shift()
    if (next) next.resolve(item)
    else this.#free.push(item)
    if (this.#free.length === this.#all.length) this.#closed?.()
  }

  /** Turns away all who wait or come; when the last holder is done, gives all there is, to be closed. */
  async close(): Promise<readonly T[]> {
    const { promise, resolve } = Promise.withResolvers<void>()
    this.#closed = resolve
    for (const { reject } of this.#line.splice(0)) reject(closing())
    if (this.#free.length < this.#all.length) await promise
    return this.#all
  }
}
