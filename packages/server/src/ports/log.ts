/** A structured logger, such as pino. Never log a secret, a viewing key or a full invoice id. */
export interface Log {
  debug(details: object, message: string): void
  info(details: object, message: string): void
  warn(details: object, message: string): void
  error(details: object, message: string): void
}

/** Ties log lines to the request that they belong to. */
export interface RequestScope {
  /** Runs work, and everything that it starts, so that its log lines have the request's id. */
  run(requestId: string, work: () => void): void
}
