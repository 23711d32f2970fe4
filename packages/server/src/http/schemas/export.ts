import type { Readable } from 'node:stream'
import { Type } from 'typebox'
import { EXPORT_FORMATS } from '../../domain/export.ts'
import { noExtraFields, stringEnum } from './common.ts'
import { InvoiceListItem } from './invoice.ts'

/** The latest time of a period, in Unix seconds. */
const MAX_UNIX_SECS = 2 ** 40

export const ExportQuery = Type.Object(
  {
    format: stringEnum(
      EXPORT_FORMATS,
      'File format. `csv_semicolon` has semicolons and decimal commas, for spreadsheets of languages that write them.',
    ),
    from: Type.Optional(Type.Integer({ minimum: 0, maximum: MAX_UNIX_SECS, description: 'Unix seconds, inclusive.' })),
    to: Type.Optional(Type.Integer({ minimum: 0, maximum: MAX_UNIX_SECS, description: 'Unix seconds, exclusive.' })),
  },
  noExtraFields,
)

/** The file is streamed: these describe it, and do not serialise it. */
const CsvFile = Type.Unsafe<Readable>(Type.String({ description: 'The file, with a line of column names.' }))
const JsonFile = Type.Unsafe<Readable>(Type.Array(InvoiceListItem))

export const ExportFile = {
  description: 'The file, in the requested format.',
  content: { 'application/json': { schema: JsonFile }, 'text/csv': { schema: CsvFile } },
}
