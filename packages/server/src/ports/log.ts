/** A structured logger, such as pino. Never log a secret, a viewing key or a full invoice id. */
export interface Log {
  debug(details: object, message: string): void
  info(details: object, message: string): void
  warn(details: object, message: string): void
  error(details: object, message: string): void
}
