/** The random source of the service. Tests inject a deterministic one. */
export interface Random {
  /** Cryptographically secure random bytes. */
  bytes(count: number): Uint8Array
  /** A UUIDv4. */
  uuid(): string
}
