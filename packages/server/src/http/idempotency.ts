import { Type } from 'typebox'
import { invalidField } from '../domain/error.ts'

/** The form of a key. */
export const IDEMPOTENCY_KEY = { minLength: 1, maxLength: 255, pattern: '^[ -~]*$' } as const

/** The `headers` schema of a route that accepts an `Idempotency-Key`. */
export const IdempotencyHeader = Type.Object({
  'idempotency-key': Type.Optional(
    Type.String({ description: '1 to 255 printable characters. The same request with the same key is done once.' }),
  ),
})

/**
 * Validates the header after the body. The schema does not, because its error would not name the header as clients
 * write it.
 *
 * @throws AppError `invalid_idempotency_key`
 */
export function parseIdempotencyKey(header: string | undefined): string | undefined {
  const { minLength, maxLength, pattern } = IDEMPOTENCY_KEY
  if (header === undefined) return undefined
  if (header.length < minLength || header.length > maxLength || !new RegExp(pattern).test(header))
    throw invalidField('Idempotency-Key', '1 to 255 printable characters')
  return header
}
