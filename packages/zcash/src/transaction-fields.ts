import type { Action } from './note.ts'

/** A transparent input without its script. */
export interface TransparentInput {
  /** 36 bytes: txid (32, internal byte order) ‖ output index (4, little-endian) */
  readonly outpoint: Uint8Array
  /** 4 bytes, as encoded */
  readonly sequence: Uint8Array
}

/** A Sapling spend description without its proof and signature (ZIP 225). */
export interface SaplingSpend {
  /** 32 bytes: the value commitment */
  readonly cv: Uint8Array
  /** 32 bytes */
  readonly nullifier: Uint8Array
  /** 32 bytes: the randomized spend validating key */
  readonly rk: Uint8Array
}

/** A Sapling output description without its proof (ZIP 225). */
export interface SaplingOutput {
  /** 32 bytes: the value commitment */
  readonly cv: Uint8Array
  /** 32 bytes: the u-coordinate of the note commitment */
  readonly cmu: Uint8Array
  /** 32 bytes */
  readonly ephemeralKey: Uint8Array
  /** 580 bytes */
  readonly encCiphertext: Uint8Array
  /** 80 bytes */
  readonly outCiphertext: Uint8Array
}

/** The Sapling part of a transaction without its proofs and signatures (ZIP 225). It has a spend or an output. */
export interface SaplingBundle {
  readonly spends: readonly SaplingSpend[]
  readonly outputs: readonly SaplingOutput[]
  /** 8 bytes: a signed little-endian integer in zat, as encoded */
  readonly valueBalance: Uint8Array
  /** 32 bytes, shared by all spends; undefined if there are no spends */
  readonly anchor: Uint8Array | undefined
}

/** The Orchard (ZIP 225) or Ironwood (ZIP 229) part of a transaction without its proof and signatures. */
export interface ActionBundle {
  /** at least one */
  readonly actions: readonly Action[]
  /** one byte, not checked */
  readonly flags: number
  /** 8 bytes: a signed little-endian integer in zat, as encoded */
  readonly valueBalance: Uint8Array
  /** 32 bytes: a root of the note commitment tree */
  readonly anchor: Uint8Array
}

/** The transparent part of a transaction. */
export interface TransparentBundle {
  readonly inputs: readonly TransparentInput[]
  readonly outputCount: number
  /** all outputs as encoded, without the count in front of them */
  readonly outputs: Uint8Array
}

/** The fields of a version 5 (ZIP 225) or 6 (ZIP 229) transaction without its input scripts, proofs and signatures. */
export interface TransactionFields {
  readonly version: 5 | 6
  readonly versionGroupId: number
  /** consensus branch id (ZIP 200) */
  readonly branchId: number
  readonly lockTime: number
  /** block height; 0 means that the transaction never expires (ZIP 203) */
  readonly expiryHeight: number
  readonly transparent: TransparentBundle
  /** undefined without Sapling spends and outputs */
  readonly sapling: SaplingBundle | undefined
  /** undefined without Orchard actions */
  readonly orchard: ActionBundle | undefined
  /** undefined without Ironwood actions, as always in version 5 */
  readonly ironwood: ActionBundle | undefined
}

/** The fields of a version 4 transaction that a receiver needs. Version 4 cannot pay an Orchard receiver. */
export interface LegacyTransactionFields {
  readonly version: 4
  readonly lockTime: number
  /** block height; 0 means that the transaction never expires (ZIP 203) */
  readonly expiryHeight: number
  readonly transparent: TransparentBundle
  /** the number of spends */
  readonly saplingSpends: number
  /** the number of outputs */
  readonly saplingOutputs: number
}
