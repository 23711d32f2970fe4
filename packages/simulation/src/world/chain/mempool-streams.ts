import type { Owner } from '../../runtime/scheduler.ts'
import type { WorldTransaction } from './transaction.ts'

/** One open mempool stream. */
class MempoolStream {
  readonly owner: Owner
  /** Transactions that have not been sent yet. */
  readonly queue: WorldTransaction[]
  ended = false
  #wake: (() => void) | null = null

  constructor(owner: Owner, shown: readonly WorldTransaction[]) {
    this.owner = owner
    this.queue = [...shown]
  }

  /** Resolves when something happens to the stream. A dead client never goes on. */
  changed(): Promise<void> {
    return new Promise(resolve => {
      this.#wake = resolve
    })
  }

  readonly wake = (): void => {
    const wake = this.#wake
    this.#wake = null
    if (this.owner.alive) wake?.()
  }
}

/** The open mempool streams of one server. */
export class MempoolStreams {
  readonly #open = new Set<MempoolStream>()

  /** @param shown the mempool, which the stream begins with */
  open(owner: Owner, shown: readonly WorldTransaction[]): MempoolStream {
    const stream = new MempoolStream(owner, shown)
    this.#open.add(stream)
    return stream
  }

  close(stream: MempoolStream): void {
    this.#open.delete(stream)
  }

  /** Ends every stream after the transactions that wait in it. */
  end(): void {
    for (const stream of this.#open) {
      stream.ended = true
      stream.wake()
    }
  }

  /** Sends a transaction to all clients. */
  send(transaction: WorldTransaction): void {
    for (const stream of this.#open) {
      stream.queue.push(transaction)
      stream.wake()
    }
  }
}
