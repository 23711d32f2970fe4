import { Type } from 'typebox'
import { invalidField } from '../domain/error.ts'

/** For the `headers` of a route that may be repeated. */
export const IdempotencyHeader = Type.Object({ 'idempotency-key': Type.Optional(Type.String()) })

/** What a client asks with is checked here, after the body: the schema could not say it in the header's own name. */
export function idempotencyKey(header: string | undefined): string | undefined {
  if (header !== undefined && !/^[\x20-\x7e]{1,255}$/.test(header))
    throw invalidField('Idempotency-Key', '1 to 255 printable characters')
  return header
}
