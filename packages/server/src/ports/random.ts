export interface Random {
  /** Cryptographically secure random bytes. */
  bytes(count: number): Uint8Array
  /** A UUIDv4. */
  uuid(): string
}
