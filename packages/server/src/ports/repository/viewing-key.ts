import type { Network } from '../../domain/account.ts'

/** A stored viewing key; its secret part is sealed. Two accounts with one key share one row, and so never an index. */
export interface ViewingKeyRow {
  readonly id: number
  readonly network: Network
  /** dk ‖ ivk of the external scope, sealed by the vault. */
  readonly sealed: Uint8Array
  /** Unix seconds until which some invoice under the key is watched. */
  readonly watchUntil: number
}

export interface ViewingKeyRows {
  /**
   * The row with this fingerprint, made when it is new: then `seal` gets its id, and indexes are handed out from
   * `firstIndex` on.
   */
  ensure(
    key: {
      readonly fingerprint: Uint8Array
      readonly network: Network
      readonly createdAt: number
      readonly firstIndex: bigint
    },
    seal: (id: number) => Uint8Array,
  ): Promise<ViewingKeyRow>
  byId(id: number): Promise<ViewingKeyRow | null>
  /**
   * Takes `count` diversifier indexes never handed out before; the first of them. Index 0 is never taken: its address
   * is the one that wallets show first.
   * @throws Fault `viewing_key_exhausted` when the range would pass `MAX_INDEX`
   */
  reserve(id: number, count: number): Promise<bigint>
  /**
   * Moves the counter of every key on by a step of its own, `MAX_INDEX` being the end, and every `watchUntil` to at
   * least this one.
   * @returns how many keys there are
   */
  moveOn(step: () => bigint, watchUntil: number): Promise<number>
  /** Moves `watchUntil` on, never back. */
  watch(id: number, until: number): Promise<void>
  /** The keys to open notes with: watched at `now` or later. */
  watched(now: number): Promise<ViewingKeyRow[]>
  all(): Promise<ViewingKeyRow[]>
  reseal(id: number, sealed: Uint8Array): Promise<void>
}
