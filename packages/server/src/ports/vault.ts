/** Encrypts secrets at rest. A sealed secret opens only in the context (table, column, row) that it was sealed for. */
export interface Vault {
  seal(secret: Uint8Array, context: SealContext): Uint8Array
  /** @throws when the bytes were changed, moved to another context, or sealed under another key. */
  open(sealed: Uint8Array, context: SealContext): Uint8Array
}

/** The database cell that a sealed secret is bound to. */
export interface SealContext {
  readonly table: string
  readonly column: string
  readonly row: number
}
