/** Which shielded pool a note lies in. Both share keys, addresses and the shape of actions. */
export type Pool = 'orchard' | 'ironwood'

/** The receiver's view of an action, as compact blocks carry it (lightwallet-protocol `CompactOrchardAction`). */
export interface CompactAction {
  /** 32 bytes; also the ρ of the note the action makes */
  readonly nullifier: Uint8Array
  /** 32 bytes, the x-coordinate of the note commitment */
  readonly cmx: Uint8Array
  /** 32 bytes, the encoded point epk */
  readonly ephemeralKey: Uint8Array
  /** the first 52 bytes of the note ciphertext */
  readonly ciphertext: Uint8Array
}

/** An action of a whole transaction (ZIP 225, ZIP 229), without proof and signature. */
export interface Action {
  readonly cvNet: Uint8Array
  readonly nullifier: Uint8Array
  readonly rk: Uint8Array
  readonly cmx: Uint8Array
  readonly ephemeralKey: Uint8Array
  /** 580 bytes */
  readonly encCiphertext: Uint8Array
  /** 80 bytes */
  readonly outCiphertext: Uint8Array
}

export interface Note {
  readonly pool: Pool
  /** zat */
  readonly value: bigint
  /** 43 bytes: d (11) ‖ pk_d (32) */
  readonly receiver: Uint8Array
  /** 0 to 2^88 − 1 */
  readonly diversifierIndex: bigint
  /** 32 bytes */
  readonly rseed: Uint8Array
  /** 32 bytes */
  readonly rho: Uint8Array
}
