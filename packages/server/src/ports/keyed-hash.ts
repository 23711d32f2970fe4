/** A keyed hash (MAC) under a secret of this service. */
export interface KeyedHash {
  /** 32 bytes. `context` separates the domains of use. */
  hash(context: string, text: string): Uint8Array
}
