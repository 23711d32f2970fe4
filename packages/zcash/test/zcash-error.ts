import { ZcashError, type ZcashErrorCode } from '../src/errors.ts'

/** A check for `assert.throws`: a ZcashError with this code, and with a message that matches. */
export function zcashErrorWith(code: ZcashErrorCode, message?: RegExp): (error: unknown) => boolean {
  return error => error instanceof ZcashError && error.code === code && (message?.test(error.message) ?? true)
}
