import type { Network } from '../../domain/account/account.ts'
import type { CompactAction, CompactTransaction } from '../../domain/chain/chain.ts'
import type { ShieldedPool } from '../../domain/chain/shielded-pool.ts'
import type { ScanKey } from '../../ports/note-scanner.ts'

/** A job for a worker thread. */
export type WorkerJob =
  | {
      readonly kind: 'scan'
      readonly keys: readonly ScanKey[]
      readonly pool: ShieldedPool
      /** Made by `packActions`. */
      readonly actions: Uint8Array
      /** Whether the plain path is used instead of the kernel. */
      readonly plain: boolean
    }
  | {
      readonly kind: 'deriveAddresses'
      readonly incoming: Uint8Array
      readonly network: Network
      readonly from: bigint
      readonly count: number
      readonly plain: boolean
    }
  | { readonly kind: 'toCompact'; readonly raw: Uint8Array }

/** A note that was decrypted in a `scan` job. */
export interface ScanMatch {
  /** Index in the job's keys. */
  readonly keyIndex: number
  /** Index in the job's actions. */
  readonly actionIndex: number
  readonly valueZat: bigint
  readonly diversifierIndex: bigint
}

export interface JobResults {
  scan: ScanMatch[]
  deriveAddresses: string[]
  toCompact: { readonly transaction: CompactTransaction; readonly expiryHeight: number } | null
}

/** A job as it is sent to one worker. A `scan` job names keys by id and includes only keys that are new to the worker. */
export type WorkerMessage =
  | Exclude<WorkerJob, { kind: 'scan' }>
  | {
      readonly kind: 'scan'
      readonly keyIds: readonly number[]
      readonly newKeys: readonly ScanKey[]
      /** The worker drops all its keys before it adds the new ones. */
      readonly clearKeys: boolean
      readonly pool: ShieldedPool
      readonly actions: Uint8Array
      readonly plain: boolean
    }

/** `kernelError`: the message of a `KernelError`. The job is repeated without the kernel. */
export type WorkerReply =
  | { readonly result: JobResults[WorkerJob['kind']] }
  | { readonly error: string }
  | { readonly kernelError: string }

const FIELDS = [
  ['nullifier', 32],
  ['cmx', 32],
  ['ephemeralKey', 32],
  ['ciphertext', 52],
] as const
const PACKED_BYTES = 148

/**
 * Concatenates the actions in a new buffer. Decoded fields are views of whole protocol messages, and sending a view to a
 * thread copies its whole underlying buffer.
 *
 * @throws RangeError for a field of the wrong length
 */
export function packActions(actions: readonly CompactAction[]): Uint8Array {
  const packed = new Uint8Array(actions.length * PACKED_BYTES)
  let offset = 0
  for (const action of actions) {
    for (const [field, length] of FIELDS) {
      if (action[field].length !== length) throw new RangeError(`an action's ${field} must be ${length} bytes`)
      packed.set(action[field], offset)
      offset += length
    }
  }
  return packed
}

/** Reverses `packActions`. The fields are views of `packed`. */
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
