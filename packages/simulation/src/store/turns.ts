import type { Owner } from '../runtime/scheduler.ts'

/** A transaction that waits for its turn, or has it. */
export interface Turn {
  readonly process: Owner
  begin: () => void
}

export function newTurn(process: Owner): Turn {
  return { process, begin: () => {} }
}

/** Lets one transaction run at a time, in the order of their requests. */
export class Turns {
  #current: Turn | null = null
  readonly #waiting: Turn[] = []

  /** Resolves when the transaction may run; never, when it was released while it waited. */
  async acquire(turn: Turn): Promise<void> {
    if (this.#current === null) {
      this.#current = turn
      return
    }
    await new Promise<void>(resolve => {
      turn.begin = resolve
      this.#waiting.push(turn)
    })
  }

  has(turn: Turn): boolean {
    return this.#current === turn
  }

  /** The process that has the turn. */
  get process(): Owner | null {
    return this.#current?.process ?? null
  }

  /** Ends the turn, or the wait for it. Default: whichever turn it is. Waiting transactions of dead processes never run. */
  release(turn: Turn | null = this.#current): void {
    const place = turn === null ? -1 : this.#waiting.indexOf(turn)
    // A read that gave up while it waited must not get its turn later.
    if (place >= 0) this.#waiting.splice(place, 1)
    if (this.#current !== turn) return
    let next = this.#waiting.shift()
    while (next && !next.process.alive) next = this.#waiting.shift()
    this.#current = next ?? null
    next?.begin()
  }

  reset(): void {
    this.#current = null
    this.#waiting.length = 0
  }
}
