import type { World } from '../../world/world.ts'

/** A row of the events. */
export interface EventRow {
  /** Counts the rows in the order of their commits, until the newest are deleted. */
  readonly row: bigint
  readonly account_id: bigint
  readonly seq: bigint
  readonly public_id: string
  readonly invoice_id: bigint | null
  readonly type: string
  readonly body: string
  /** Unix seconds. */
  readonly created_at: bigint
}

const EVENTS = `SELECT rowid AS row, account_id, seq, public_id, invoice_id, type, body, created_at FROM events
  WHERE rowid >= ? ORDER BY rowid`

const NONE: Pick<EventRow, 'row' | 'public_id'> = { row: 0n, public_id: '' }

/** The events of each commit, of all accounts. */
export class NewEvents {
  readonly #world: World
  /** The newest row that was read. */
  #last = NONE
  /** The public ids of all events that were read. The numbers of a deleted account begin again. */
  readonly #read = new Set<string>()

  constructor(world: World) {
    this.#world = world
    // All events are read again.
    world.onRestore(() => {
      this.#last = NONE
      this.#read.clear()
    })
  }

  /** The events since the last call, in the order of their commits. */
  read(): EventRow[] {
    const found = this.#readFrom(this.#last.row)
    const isContinued = found[0]?.row === this.#last.row && found[0].public_id === this.#last.public_id
    // SQLite gives the rows of deleted events to later ones.
    const kept = isContinued ? found : this.#readFrom(0n)
    const events = isContinued ? kept.slice(1) : kept.filter(event => !this.#read.has(event.public_id))
    this.#last = kept.at(-1) ?? NONE
    for (const { public_id: id } of events) this.#read.add(id)
    return events
  }

  #readFrom(row: bigint): EventRow[] {
    return this.#world.database.committed<EventRow>(EVENTS, row)
  }
}
