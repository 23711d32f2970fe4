/** An address whose index no other invoice gets. */
export interface ReservedAddress {
  readonly index: bigint
  readonly address: string
}

/** Reserved addresses of one viewing key that were never shown. */
export interface UnusedAddresses {
  /** The fingerprint of the viewing key, 32 bytes. */
  readonly fingerprint: Uint8Array
  readonly addresses: readonly ReservedAddress[]
}

/**
 * Keeps unused addresses from the stop of one process to the start of the next one on the same machine. It gives each
 * back once at most, and never what a copy or an earlier state of a disk contains.
 */
export interface UnusedAddressKeeper {
  keep(unused: readonly UnusedAddresses[]): Promise<void>
  /** Takes what earlier processes with the same database have kept. */
  take(): Promise<UnusedAddresses[]>
}
