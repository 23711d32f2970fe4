import type { Action } from '../../run/part.ts'
import { Draw } from '../../runtime/draw.ts'
import type { World } from '../../world/world.ts'
import type { EncryptionKeys } from './encryption-keys.ts'

/** A copy of the database. */
interface Copy {
  readonly content: unknown
  readonly takenMs: number
  /** The keys that its secrets are sealed with, which the operator keeps beside it. */
  readonly encryptionKeys: readonly Uint8Array[]
}

/** Newer backups replace the oldest. */
const MAX_BACKUPS = 3

/** The probability that the standby has caught up after a commit. */
const STANDBY_RATE = 0.08

/** Copies of the database, and what takes its place when it is lost: a backup, or on PostgreSQL a standby. */
export class Backups {
  readonly #world: World
  readonly #keys: EncryptionKeys
  readonly #kept: Copy[] = []
  #isReady = false
  /** A backup is made after the next commit. */
  #isWanted = false
  /** What the standby of a PostgreSQL has received so far. It lags behind. */
  #standby: Copy | null = null
  readonly #draw: Draw
  #copies = 0

  constructor(world: World, keys: EncryptionKeys) {
    this.#world = world
    this.#keys = keys
    this.#draw = new Draw(world.nextSeed(), 'standby')
  }

  /** Copies what is wanted. To be called right after a commit, when no transaction is half done. */
  onCommit(): void {
    if (this.#isWanted) {
      this.#kept.push(this.#copy())
      if (this.#kept.length > MAX_BACKUPS) this.#kept.shift()
      this.#isWanted = false
    }
    if (this.#isReady && this.#world.database.failOver && this.#draw.chance(STANDBY_RATE)) this.#standby = this.#copy()
  }

  /** The merchants have their accounts: from now on there are copies. */
  start(): void {
    this.#isReady = true
    this.#isWanted = true
  }

  get actions(): readonly Action[] {
    return [
      {
        name: 'back up the database',
        weight: 3,
        run: () => {
          this.#isWanted = true
          return 'the operator makes a backup of the database'
        },
      },
      {
        name: 'restore a backup',
        weight: 4,
        fault: 'the database is lost, and an older copy of it takes its place',
        run: draw => (this.#kept.length === 0 ? undefined : this.#restore(draw.pick(this.#kept), draw.chance(0.4))),
      },
      {
        name: 'promote the standby',
        weight: 6,
        fault: 'the database is lost, and a standby that lags takes its place while the processes run',
        run: draw => this.#promote(draw),
      },
    ]
  }

  /** @param inPlace a copy of the file in its place, which looks like the original, unlike any other copy */
  #restore(backup: Copy, inPlace: boolean): string {
    const world = this.#world
    const identity = inPlace ? world.databaseIdentity : this.#newIdentity()
    for (const process of world.processes) process.crash()
    this.#keys.restored(backup.encryptionKeys)
    world.restore(backup.content, identity)
    this.#standby = null
    for (const index of world.processes.keys()) void world.startProcess(index)
    return `the operator restores a backup that is ${this.#ageSecs(backup)} s old, ${inPlace ? 'in place' : 'elsewhere'}`
  }

  /** Merchants go on to request invoices meanwhile. */
  async #promote(draw: Draw): Promise<string | undefined> {
    const standby = this.#standby
    if (!standby) return undefined
    const { shop, parts } = this.#world
    for (const part of parts) if (draw.chance(0.5)) await part.beforeFailOver?.(draw)
    // The running processes must be able to open its secrets.
    if (standby.encryptionKeys.join() !== this.#keys.present.join()) return undefined
    this.#standby = null
    this.#world.failOver(standby.content, this.#newIdentity())
    const lifetime = draw.chance(0.5) ? 'long' : undefined
    for (let i = draw.int(3, 8); i > 0; i--)
      this.#world.client('create invoice', () => shop.requestInvoice(draw, draw.pick(shop.merchants), 3, lifetime))
    return `a standby takes over that lags ${this.#ageSecs(standby)} s behind`
  }

  #copy(): Copy {
    const { database, scheduler } = this.#world
    return {
      content: database.copyContent(),
      takenMs: scheduler.nowMs,
      encryptionKeys: this.#keys.present,
    }
  }

  #newIdentity(): string {
    return `database-${++this.#copies + 1}`
  }

  #ageSecs({ takenMs }: Copy): number {
    return Math.round((this.#world.scheduler.nowMs - takenMs) / 1000)
  }
}
