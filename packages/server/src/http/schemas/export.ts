import type { Readable } from 'node:stream'
import { Type } from 'typebox'
import { noExtraFields, stringEnum } from './common.ts'

/** The latest time of a period, in Unix seconds. */
const MAX_UNIX_SECS = 2 ** 40

export const ExportQuery = Type.Object(
  {
    format: stringEnum(['csv', 'json'], 'File format.'),
    from: Type.Optional(Type.Integer({ minimum: 0, maximum: MAX_UNIX_SECS, description: 'Unix seconds, inclusive.' })),
    to: Type.Optional(Type.Integer({ minimum: 0, maximum: MAX_UNIX_SECS, description: 'Unix seconds, exclusive.' })),
  },
  noExtraFields,
)

export const ExportFile = Type.Unsafe<Readable>({ type: 'string', description: 'The file.' })
