import { type Action, action } from '../../run/part.ts'
import type { Draw } from '../../runtime/draw.ts'
import type { World } from '../../world/world.ts'
import { ageSecs, type Copy, copyDatabase, drawIdsAhead, nextIdentity } from './copy.ts'
import type { EncryptionKeys } from './encryption-keys.ts'
import type { Standby } from './standby.ts'

/** Newer backups replace the oldest. */
const MAX_BACKUPS = 3

/** Copies of the database, one of which takes its place when it is lost. */
export class Backups {
  readonly #world: World
  readonly #keys: EncryptionKeys
  readonly #standby: Standby
  readonly #kept: Copy[] = []
  /** A backup is made after the next commit. */
  #isWanted = false

  constructor(world: World, keys: EncryptionKeys, standby: Standby) {
    this.#world = world
    this.#keys = keys
    this.#standby = standby
  }

  /** Makes the backup that is wanted. To be called right after a commit, when no transaction is half done. */
  onCommit(): void {
    if (!this.#isWanted) return
    this.#kept.push(copyDatabase(this.#world, this.#keys))
    if (this.#kept.length > MAX_BACKUPS) this.#kept.shift()
    this.#isWanted = false
  }

  /** The merchants have their accounts: from now on there are backups. */
  start(): void {
    this.#isWanted = true
  }

  get actions(): readonly Action[] {
    return [
      action('back up the database', 3, () => {
        this.#isWanted = true
        return 'the operator makes a backup of the database'
      }),
      {
        name: 'restore a backup',
        weight: 4,
        fault: 'the database is lost, and an older copy of it takes its place',
        run: draw =>
          this.#kept.length === 0 ? undefined : this.#restore(draw, draw.pick(this.#kept), draw.chance(0.4)),
      },
    ]
  }

  /** @param inPlace a copy of the file in its place, which looks like the original, unlike any other copy */
  #restore(draw: Draw, backup: Copy, inPlace: boolean): string {
    const world = this.#world
    for (const process of world.processes) process.crash()
    this.#keys.restored(backup.encryptionKeys)
    world.restore(backup.content, inPlace ? world.databaseIdentity : nextIdentity(world), drawIdsAhead(draw))
    this.#standby.removed()
    for (const index of world.processes.keys()) void world.startProcess(index)
    return `the operator restores a backup that is ${ageSecs(world, backup)} s old, ${inPlace ? 'in place' : 'elsewhere'}`
  }
}
