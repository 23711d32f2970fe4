import type { World } from '../../world/world.ts'
import { short } from '../sale/shop.ts'
import { readSetAside } from './ledger.ts'

/** Checks which rows are set aside. That the others are processed in time is checked by the other parts. */
export class PoisonJudge {
  readonly #world: World
  /** Rows that were set aside after the previous commit. */
  #before = new Set<string>()

  constructor(world: World) {
    this.#world = world
  }

  check(): void {
    const { poison } = this.#world
    const present = new Set<string>()
    for (const { kind, reference, failures } of readSetAside(this.#world)) {
      if (failures === 0n) continue
      // Work on a swap fails too when an invoice is poisoned that it changes.
      const isExplained = kind === 'swap' ? poison.hasBegun : poison.wasPoisoned(kind, reference)
      if (!isExplained)
        this.#world.fail('only a row that cannot be processed is set aside', `${kind} ${short(reference)}`)
      present.add(kind)
      if (!this.#before.has(kind)) this.#world.transition('row', null, `${kind} set aside`)
    }
    for (const kind of this.#before) if (!present.has(kind)) this.#world.transition('row', `${kind} set aside`, '·')
    this.#before = present
  }

  /** A row that is still set aside; null when there is none. Called after the last repair. */
  unsettled(): string | null {
    const [row] = readSetAside(this.#world)
    return row ? `the ${row.kind} ${short(row.reference)} is still set aside, after ${row.failures} failures` : null
  }
}
