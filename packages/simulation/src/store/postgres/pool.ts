import { closingError, overloadedError, type StoreLimits } from '@zatgate/server/store/limits'
import type { Client } from './client.ts'

interface Waiter {
  readonly resolve: (client: Client) => void
  readonly reject: (error: unknown) => void
  readonly timer: NodeJS.Timeout
}

/** The connections of one process, with the limits of the real pool. */
export class ClientPool {
  readonly #create: (onRelease: (client: Client) => void) => Client
  readonly #limits: StoreLimits
  readonly #idle: Client[] = []
  readonly #clients = new Set<Client>()
  readonly #waiting: Waiter[] = []
  #crashed = false
  #closed: (() => void) | null = null

  constructor(create: (onRelease: (client: Client) => void) => Client, limits: StoreLimits) {
    this.#create = create
    this.#limits = limits
  }

  async connect(): Promise<Client> {
    if (this.#crashed) return new Promise(() => {})
    if (this.#closed) throw closingError()
    if (this.#waiting.length >= this.#limits.maxWaiting) throw overloadedError()
    return this.#free() ?? this.#wait()
  }

  /** Ends idle connections. Resolves when the others have been released. */
  async close(): Promise<void> {
    if (this.#crashed || this.#closed) return
    const { promise, resolve } = Promise.withResolvers<void>()
    this.#closed = resolve
    for (const { reject, timer } of this.#waiting.splice(0)) {
      clearTimeout(timer)
      reject(closingError())
    }
    for (const client of this.#idle.splice(0)) this.#clients.delete(client)
    if (this.#clients.size > 0) await promise
  }

  /** Ends all connections. Their statements, and those of later connections, never return. */
  crash(): void {
    this.#crashed = true
    for (const { timer } of this.#waiting.splice(0)) clearTimeout(timer)
    for (const client of this.#clients) client.crash()
    this.#clients.clear()
    this.#idle.length = 0
  }

  /** Loses all connections, as when the server restarts. */
  lose(): void {
    for (const client of this.#clients) client.lose()
    for (const client of this.#idle.splice(0)) this.#clients.delete(client)
  }

  #free(): Client | null {
    const idle = this.#idle.pop()
    if (idle) return idle
    if (this.#clients.size >= this.#limits.maxConnections) return null
    const client = this.#create(released => this.#release(released))
    this.#clients.add(client)
    return client
  }

  #wait(): Promise<Client> {
    return new Promise((resolve, reject) => {
      const timer = setTimeout(() => {
        this.#waiting.splice(this.#waiting.indexOf(waiter), 1)
        reject(new Error('timeout exceeded when trying to connect'))
      }, this.#limits.lockTimeoutMs)
      const waiter: Waiter = { resolve, reject, timer }
      this.#waiting.push(waiter)
    })
  }

  #release(client: Client): void {
    if (!this.#clients.has(client)) return
    if (client.isOpen && !this.#closed) this.#idle.push(client)
    else this.#clients.delete(client)
    if (this.#closed) {
      if (this.#clients.size === 0) this.#closed()
      return
    }
    const next = this.#waiting[0] && this.#free()
    if (!next) return
    const { resolve, timer } = this.#waiting.shift()!
    clearTimeout(timer)
    resolve(next)
  }
}
