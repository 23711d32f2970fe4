import type * as Wire from '@zatgate/sdk/wire'
import { type TSchema, Type } from 'typebox'
import { named, wireSchema } from './common.ts'

export const ErrorBody = wireSchema<Wire.ErrorBody>()(
  named(
    'ErrorBody',
    Type.Object(
      {
        code: Type.String({ description: 'Stable error code in snake_case.' }),
        message: Type.String({ description: 'Human-readable message.' }),
        detail: Type.Optional(Type.String({ description: 'What is accepted instead.' })),
        limit: Type.Optional(Type.Integer({ description: 'The limit of the plan that is reached.' })),
        used: Type.Optional(Type.Integer({ description: 'With 402: invoices used this month.' })),
        plan: Type.Optional(Type.String({ description: 'The plan of this limit.' })),
        resets_at: Type.Optional(
          Type.Integer({ description: 'With 402: when the next month begins, in Unix seconds.' }),
        ),
      },
      { description: 'Body of every response that is not 2xx.' },
    ),
  ),
)

/** The responses of an endpoint: 200 with the schema `ok`, or an error. */
export function responses<S extends TSchema>(ok: S) {
  return { 200: ok, '4xx': ErrorBody, '5xx': ErrorBody }
}

/** The responses of an endpoint: 204 without a body, or an error. */
export const NO_CONTENT_RESPONSES = {
  204: Type.Unsafe<undefined>({ type: 'null', description: 'Done.' }),
  '4xx': ErrorBody,
  '5xx': ErrorBody,
}

/** The responses of an endpoint: 202 with the given schema, or an error. */
export function acceptedResponses<S extends TSchema>(body: S) {
  return { 202: body, '4xx': ErrorBody, '5xx': ErrorBody }
}
