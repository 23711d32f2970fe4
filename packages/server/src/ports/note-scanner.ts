import type { Network } from '../domain/account/account.ts'
import type { KeyExpiry } from '../domain/account/viewing-key.ts'
import type { CompactTransaction } from '../domain/chain/chain.ts'
import type { ShieldedPool } from '../domain/chain/shielded-pool.ts'

/** A key for trial decryption. `incoming` is dk ‖ ivk. */
export interface ScanKey {
  readonly id: number
  readonly incoming: Uint8Array
}

/** A note that one of the viewing keys decrypts. */
export interface DecryptedNote {
  readonly viewingKeyId: number
  readonly txid: string
  readonly pool: ShieldedPool
  readonly outputIndex: number
  readonly valueZat: bigint
  readonly diversifierIndex: bigint
}

/** The parts of a viewing key that the service uses. */
export interface ParsedViewingKey {
  readonly network: Network
  /** dk ‖ ivk of the external scope, 64 bytes. No other part of the key is stored. */
  readonly incoming: Uint8Array
  /** Absent for a key that never expires. Times after the year 9999 are given as its last second. */
  readonly expiry?: KeyExpiry
}

/** How a scan runs. */
export interface ScanOptions {
  readonly signal?: AbortSignal
  /** Goes before the other scans: the mempool, before blocks to catch up with. */
  readonly isUrgent?: boolean
}

/** The Zcash cryptography. The expensive parts run outside the main thread. */
export interface NoteScanner {
  /** Prepares the threads for addresses, so that the first invoice does not wait for them. */
  start(): void
  /**
   * Parses a UFVK or UIVK (ZIP 316, Revision 0 or 2) that has an Orchard item. With `network`, a key of another network
   * is refused. Expired keys are accepted: the caller checks the expiry.
   * @throws AppError `invalid_viewing_key` with the reason in `detail`.
   */
  parseViewingKey(text: string, network?: Network): ParsedViewingKey
  /** The addresses at `count` diversifier indexes, starting with `from`. */
  deriveAddresses(incoming: Uint8Array, network: Network, from: bigint, count: number): Promise<string[]>
  /** The diversifier of an address (11 bytes). Null for text that is not an address with an Orchard receiver. */
  diversifierOf(address: string): Uint8Array | null
  /** The index of a diversifier under the key. For one of another key, a meaningless number below 2^88. */
  diversifierIndexOf(incoming: Uint8Array, diversifier: Uint8Array): bigint
  /**
   * The notes in these transactions that any of the keys decrypts, in all pools: the caller decides which pool counts at
   * a height. The result is complete; when any part of the scan fails, the call rejects.
   */
  scan(
    keys: readonly ScanKey[],
    transactions: readonly CompactTransaction[],
    options?: ScanOptions,
  ): Promise<DecryptedNote[]>
  /** Converts a raw transaction to compact form, with its expiry height. Null for bytes that cannot be parsed. */
  toCompact(raw: Uint8Array): Promise<{ transaction: CompactTransaction; expiryHeight: number } | null>
  close(): Promise<void>
}
