import type { Action } from '../../run/part.ts'
import { Draw } from '../../runtime/draw.ts'
import type { World } from '../../world/world.ts'
import { LONGEST_SECS } from '../sale/shop.ts'
import { ageSecs, type Copy, copyDatabase, drawIdsAhead, nextIdentity } from './copy.ts'
import type { EncryptionKeys } from './encryption-keys.ts'
import type { Newcomers } from './newcomers.ts'

/** Probabilities that the standby has caught up after a commit. Each run draws one. */
const CATCH_UP_RATES = [0.3, 0.08, 0.02] as const

/** An asynchronous standby of a PostgreSQL. It has what was committed some time ago, and takes over while the processes run. */
export class Standby {
  readonly #world: World
  readonly #keys: EncryptionKeys
  readonly #newcomers: Newcomers
  readonly #draw: Draw
  readonly #rate: number
  /** The copy that it has received so far. */
  #received: Copy | null = null
  #isReady = false

  constructor(world: World, keys: EncryptionKeys, newcomers: Newcomers) {
    this.#world = world
    this.#keys = keys
    this.#newcomers = newcomers
    this.#draw = new Draw(world.nextSeed(), 'standby')
    this.#rate = this.#draw.pick(CATCH_UP_RATES)
  }

  /** The merchants have their accounts: from now on it receives. */
  start(): void {
    this.#isReady = this.#world.database.failOver !== undefined
  }

  /** To be called right after a commit, when no transaction is half done. */
  onCommit(): void {
    if (this.#isReady && this.#draw.chance(this.#rate)) this.#received = copyDatabase(this.#world, this.#keys)
  }

  /** The database was replaced: a new standby begins without content. */
  removed(): void {
    this.#received = null
  }

  get actions(): readonly Action[] {
    return [
      {
        name: 'promote the standby',
        weight: 6,
        fault: 'the database is lost, and a standby that lags takes its place while the processes run or stand still',
        run: draw => this.#promote(draw),
      },
    ]
  }

  /** Merchants join and request invoices before, meanwhile and afterwards. */
  async #promote(draw: Draw): Promise<string | undefined> {
    const world = this.#world
    const standby = this.#received
    if (!standby) return undefined
    if (draw.chance(0.6)) await this.#newcomers.joinAndSell(draw)
    for (const part of world.parts) if (draw.chance(0.5)) await part.beforeFailOver?.(draw)
    this.#requestInvoices(draw, draw.int(0, 3))
    // Some of their transactions are open when the database is lost.
    await world.scheduler.run(draw.pick([0, 3, 10, 30, 100]))
    // The running processes must be able to open its secrets.
    if (standby.encryptionKeys.join() !== this.#keys.present.join()) return undefined
    this.#received = null
    for (const process of world.running) if (draw.chance(0.25)) world.suspend(process, draw.pick([1, 5, 20, 70]) * 1000)
    this.#keys.restored(standby.encryptionKeys)
    world.failOver(standby.content, nextIdentity(world), drawIdsAhead(draw))
    this.#restartSome(draw)
    for (const part of world.parts) part.afterFailOver?.(draw)
    if (draw.chance(0.8)) await this.#newcomers.joinAndSell(draw)
    this.#requestInvoices(draw, draw.int(3, 8))
    return `a standby takes over that lags ${ageSecs(world, standby)} s behind`
  }

  /** The others keep what they hold of the lost database. */
  #restartSome(draw: Draw): void {
    const { processes } = this.#world
    for (const [index, process] of processes.entries())
      if (process.alive && draw.chance(0.1)) this.#world.restart(index)
  }

  #requestInvoices(draw: Draw, count: number): void {
    const { shop } = this.#world
    const secs = draw.chance(0.5) ? LONGEST_SECS : undefined
    for (let i = 0; i < count; i++)
      this.#world.client('create invoice', () => shop.requestInvoice(draw, draw.pick(shop.merchants), 3, { secs }))
  }
}
