import type { Owner } from '../../runtime/scheduler.ts'
import { pgError } from './error.ts'
import type { HeldLock, LockOwner } from './lock-table.ts'
import type { RowImage, RowKey } from './row-images.ts'

/** The changes since the beginning of a transaction, or since one of its savepoints. */
export interface Layer {
  /** The name of the savepoint; empty for the transaction itself. */
  readonly name: string
  /** The number of locks and notifications before the savepoint. */
  readonly locks: number
  readonly notifications: number
  /** The changed rows by their lock names. The transaction holds their locks. */
  readonly changed: Map<string, RowKey>
  /** The content of the changed rows while the transaction is suspended. */
  images: Map<string, RowImage>
}

export interface Notification {
  readonly channel: string
  readonly payload: string
}

/** An open READ COMMITTED transaction. */
export class Transaction implements LockOwner {
  readonly process: Owner
  readonly locks: HeldLock[] = []
  waiting: LockOwner['waiting'] = null
  readonly layers: Layer[] = [openLayer('', 0, 0)]
  readonly notifications: Notification[] = []
  /** Whether a statement has failed: all statements fail until the rollback to a savepoint. */
  aborted = false
  ended = false
  /** The number of savepoints so far. Each batched use case after the first one opens one. */
  savepoints = 0
  /** Whether it has changed the schema. It then keeps the writer to itself until its end. */
  changesSchema = false
  /** Fails the statement that waits for a lock. Set while one waits. */
  cancelWait: (() => void) | null = null

  constructor(process: Owner) {
    this.process = process
  }

  get top(): Layer {
    return this.layers.at(-1)!
  }

  savepoint(name: string): void {
    this.savepoints += 1
    this.layers.push(openLayer(name, this.locks.length, this.notifications.length))
  }

  /** The layer of the savepoint. */
  depthOf(name: string): number {
    const depth = this.layers.findLastIndex((layer, index) => index > 0 && layer.name === name)
    if (depth < 0) throw pgError('3B001', `savepoint "${name}" does not exist`)
    return depth
  }

  /** Adds the changes since the savepoint to those before it. */
  release(name: string): void {
    const depth = this.depthOf(name)
    const below = this.layers[depth - 1]!
    for (const { changed, images } of this.layers.splice(depth)) {
      for (const [row, key] of changed) if (key.deleted || !below.changed.has(row)) below.changed.set(row, key)
      for (const [row, image] of images) below.images.set(row, image)
    }
  }

  /** Sends a notification with the commit. Equal ones are sent once. */
  notify(channel: string, payload: string): void {
    const known = this.notifications.some(sent => sent.channel === channel && sent.payload === payload)
    if (!known) this.notifications.push({ channel, payload })
  }

  get hasChanges(): boolean {
    return this.changesSchema || this.layers.some(({ changed }) => changed.size > 0)
  }
}

export function openLayer(name: string, locks: number, notifications: number): Layer {
  return { name, locks, notifications, changed: new Map(), images: new Map() }
}
