/** A rejected request. `field` names the invalid argument. */
export class ChainError extends Error {
  override readonly name = 'ChainError'
  readonly field: string

  constructor(field: string, message: string) {
    super(message)
    this.field = field
  }
}
