/** A keyed hash (MAC) under a secret of this service. */
export interface KeyedHash {
  /** 32 bytes. `context` separates the domains of use. */
  hash(context: string, text: string): Uint8Array
  /** The hashes under all keys, the newest first: what was stored before a change of the key has one of the others. */
  allHashes(context: string, text: string): Uint8Array[]
}
