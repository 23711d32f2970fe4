import { createHash } from 'node:crypto'
import type { CompactAction } from '../../domain/chain/chain.ts'
import type { ShieldedPool } from '../../domain/chain/shielded-pool.ts'
import type { ScanKey } from '../../ports/note-scanner.ts'

/** A note that a key has decrypted in an action. */
export interface KnownNote {
  readonly viewingKeyId: number
  readonly valueZat: bigint
  readonly diversifierIndex: bigint
}

/** The keys of one scan. */
export interface KeysOfScan {
  readonly keys: readonly ScanKey[]
  /** The number of the scan. */
  readonly scan: number
  /** For each key id: the scan from which on every scan has had the key. */
  readonly since: ReadonlyMap<number, number>
  /** The latest of these scans. */
  readonly newest: number
}

/** The scans and notes of an action. */
export interface KnownAction {
  /** The scan that has tried its keys on the action; 0 if none has. */
  readonly scan: number
  /** The notes that keys of the present scan have decrypted in it. */
  readonly notes: readonly KnownNote[]
}

interface Entry {
  readonly scan: number
  readonly notes: readonly { readonly note: KnownNote; readonly since: number }[]
}

/**
 * Remembers which keys have been tried on which action, so that an action that was scanned in the mempool is not scanned
 * again in its block. Scans are numbered. A key that a scan has had has been tried on the actions of that scan, as long as
 * no scan since then was without the key.
 */
export class ScanCache {
  readonly #maxActions: number
  readonly #entries = new Map<string, Entry>()
  #present: ReadonlyMap<number, { readonly incoming: Uint8Array; readonly since: number }> = new Map()
  #scans = 0

  /** @param maxActions actions that are remembered; the oldest ones are forgotten first */
  constructor(maxActions: number) {
    this.#maxActions = maxActions
  }

  /** Numbers a scan with these keys. */
  begin(keys: readonly ScanKey[]): KeysOfScan {
    const scan = ++this.#scans
    const before = this.#present
    const sinceOf = ({ id, incoming }: ScanKey) => {
      const known = before.get(id)
      // The bytes too: an id that were used for another key would hide its notes.
      return known && Buffer.compare(known.incoming, incoming) === 0 ? known.since : scan
    }
    const present = keys.map(key => [key.id, { incoming: key.incoming, since: sinceOf(key) }] as const)
    this.#present = new Map(present)
    const newest = present.reduce((latest, [, { since }]) => Math.max(latest, since), 0)
    return { keys, scan, since: new Map(present.map(([id, { since }]) => [id, since])), newest }
  }

  /** Forgets everything, results of scans that are still running too. */
  clear(): void {
    this.#entries.clear()
    this.#present = new Map()
  }

  /** @param action an id made by `actionId` */
  lookup(action: string, { since }: KeysOfScan): KnownAction {
    const entry = this.#entries.get(action)
    if (!entry) return { scan: 0, notes: [] }
    const valid = entry.notes.filter(known => since.get(known.note.viewingKeyId) === known.since)
    return { scan: entry.scan, notes: valid.map(({ note }) => note) }
  }

  /**
   * The keys of a scan that another one has not tried on its actions. A scan that began later may be without keys of this
   * one: then only those count that every scan has had until now.
   * @param other the number of the other scan, 0 for none
   */
  untried({ keys, scan, since, newest }: KeysOfScan, other: number): readonly ScanKey[] {
    if (other === 0) return keys
    if (other <= scan && newest <= other) return []
    return keys.filter(({ id }) => {
      const first = since.get(id)!
      return first > other || (other > scan && this.#present.get(id)?.since !== first)
    })
  }

  /** Records that every key of the scan has been tried on the action, and which notes they decrypt. */
  store(action: string, { scan, since }: KeysOfScan, notes: readonly KnownNote[]): void {
    this.#entries.delete(action)
    const known = notes.map(({ viewingKeyId, valueZat, diversifierIndex }) => ({
      note: { viewingKeyId, valueZat, diversifierIndex },
      since: since.get(viewingKeyId)!,
    }))
    this.#entries.set(action, { scan, notes: known })
    if (this.#entries.size > this.#maxActions) this.#entries.delete(this.#entries.keys().next().value!)
  }
}

/** Identifies an action by all bytes that a scan reads. */
export function actionId(pool: ShieldedPool, { nullifier, cmx, ephemeralKey, ciphertext }: CompactAction): string {
  const hash = createHash('sha256').update(pool)
  for (const field of [nullifier, cmx, ephemeralKey, ciphertext]) hash.update(field)
  return hash.digest('base64')
}
