import type { Connection } from './connection.ts'
import { readImages, writeImages } from './row-images.ts'
import type { Layer, Transaction } from './transaction.ts'

/**
 * The connection that all write transactions share. One of them is active on it; the others are suspended: rolled back,
 * with the content of their changed rows kept here. A transaction that becomes active again writes this content over
 * the committed state, so that each statement sees what others have committed meanwhile.
 */
export class Writer {
  readonly connection: Connection
  #active: Transaction | null = null
  /** The layers of the active transaction that exist as savepoints. */
  #open: Layer[] = []

  constructor(connection: Connection) {
    this.connection = connection
  }

  get isIdle(): boolean {
    return this.#active === null
  }

  isActive(transaction: Transaction): boolean {
    return this.#active === transaction
  }

  /** Makes the transaction active, with its changes and savepoints. */
  activate(transaction: Transaction): void {
    if (this.#active !== transaction) {
      if (this.#active) this.#suspend()
      this.connection.run('BEGIN')
      this.#active = transaction
      this.#open = []
    }
    for (const [depth, layer] of transaction.layers.entries()) {
      if (depth < this.#open.length) continue
      if (depth > 0) this.connection.run(`SAVEPOINT layer_${depth}`)
      this.#open.push(layer)
      writeImages(this.connection, layer.images.values())
      layer.images.clear()
    }
  }

  /** Undoes the changes of the active transaction's layers from `depth` on. */
  rollbackTo(transaction: Transaction, depth: number): void {
    if (this.#active !== transaction || this.#open.length <= depth) return
    this.connection.run(`ROLLBACK TO layer_${depth}`)
    this.connection.run(`RELEASE layer_${depth}`)
    this.#open.length = depth
  }

  /** Adds the changes of the layers from `depth` on to the layer below. */
  release(transaction: Transaction, depth: number): void {
    if (this.#active === transaction && this.#open.length > depth) {
      this.connection.run(`RELEASE layer_${depth}`)
      this.#open.length = depth
    }
  }

  commit(transaction: Transaction): void {
    this.activate(transaction)
    this.connection.run('COMMIT')
    this.#active = null
  }

  rollback(transaction: Transaction): void {
    if (this.#active !== transaction) return
    this.connection.run('ROLLBACK')
    this.#active = null
  }

  /** Undoes all changes that `work` makes to the database of the active transaction. */
  temporarily<T>(work: () => T, { foreignKeys }: { foreignKeys: boolean }): T {
    this.connection.run('SAVEPOINT temporary')
    if (!foreignKeys) this.connection.run('PRAGMA defer_foreign_keys = ON')
    try {
      return work()
    } finally {
      this.connection.run('ROLLBACK TO temporary')
      this.connection.run('RELEASE temporary')
      if (!foreignKeys) this.connection.run('PRAGMA defer_foreign_keys = OFF')
    }
  }

  #suspend(): void {
    if (this.#active?.changesSchema) throw new Error('no other transaction may write while one changes the schema')
    for (let depth = this.#open.length - 1; depth >= 0; depth--) {
      const layer = this.#open[depth]!
      layer.images = readImages(this.connection, layer.changed)
      if (depth > 0) this.connection.run(`ROLLBACK TO layer_${depth}`)
    }
    this.connection.run('ROLLBACK')
    this.#active = null
  }
}
