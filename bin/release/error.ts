/** A release that cannot be made. The message says why and what would be right. */
export class ReleaseError extends Error {
  readonly exitCode: number

  /** @param exitCode 2 for a wrong command line */
  constructor(message: string, exitCode = 1) {
    super(message)
    this.name = 'ReleaseError'
    this.exitCode = exitCode
  }
}
