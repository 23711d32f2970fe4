import type { Network } from '../../domain/account.ts'
import type { CompactAction, CompactTransaction } from '../../domain/chain.ts'
import type { Pool } from '../../domain/shielded-pool.ts'
import type { WatchKey } from '../../ports/chain.ts'

/** Work for a worker thread. */
export type Job =
  | {
      readonly kind: 'open'
      readonly keys: readonly WatchKey[]
      readonly pool: Pool
      /** As `packActions` makes it. */
      readonly actions: Uint8Array
    }
  | {
      readonly kind: 'addresses'
      readonly incoming: Uint8Array
      readonly network: Network
      readonly from: bigint
      readonly count: number
    }
  | { readonly kind: 'compact'; readonly raw: Uint8Array }

export interface OpenAnswer {
  /** Position in the job's keys. */
  readonly keyIndex: number
  readonly actionIndex: number
  readonly valueZat: bigint
  readonly diversifierIndex: bigint
}

export interface Answers {
  open: OpenAnswer[]
  addresses: string[]
  compact: { readonly transaction: CompactTransaction; readonly expiryHeight: number } | null
}

/** A job on its way to one worker: of an `open` job's keys, only the names of those it has already. */
export type Message =
  | Exclude<Job, { kind: 'open' }>
  | {
      readonly kind: 'open'
      readonly keyIds: readonly number[]
      readonly newKeys: readonly WatchKey[]
      /** The worker lets go of every key it has before taking the new ones. */
      readonly forget: boolean
      readonly pool: Pool
      readonly actions: Uint8Array
    }

export type Reply = { readonly answer: Answers[Job['kind']] } | { readonly error: string }

const FIELDS = [
  ['nullifier', 32],
  ['cmx', 32],
  ['ephemeralKey', 32],
  ['ciphertext', 52],
] as const
const PACKED_BYTES = 148

/**
 * The actions end to end, in memory of their own: fields read from the wire are views of whole messages, and sending a
 * view to a thread copies all that it looks into.
 *
 * @throws RangeError for a field of the wrong length.
 */
export function packActions(actions: readonly CompactAction[]): Uint8Array {
  const packed = new Uint8Array(actions.length * PACKED_BYTES)
  let at = 0
  for (const action of actions) {
    for (const [field, length] of FIELDS) {
      if (action[field].length !== length) throw new RangeError(`an action's ${field} must be ${length} bytes`)
      packed.set(action[field], at)
      at += length
    }
  }
  return packed
}

export function unpackActions(packed: Uint8Array): CompactAction[] {
  return Array.from({ length: packed.length / PACKED_BYTES }, (_, index) => {
    const bytes = packed.subarray(index * PACKED_BYTES, (index + 1) * PACKED_BYTES)
    return {
      nullifier: bytes.subarray(0, 32),
      cmx: bytes.subarray(32, 64),
      ephemeralKey: bytes.subarray(64, 96),
      ciphertext: bytes.subarray(96),
    }
  })
}
