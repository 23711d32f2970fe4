import type { FastifyRequest } from 'fastify'
import type { App } from '../http/app.ts'

/** Fields of a form or a query string: the first value of each name. */
export type FormFields = Readonly<Record<string, string>>

/** Makes the pages accept HTML form bodies and nothing else. Fields are text. */
export function acceptForms(site: App): void {
  site.removeAllContentTypeParsers()
  site.addContentTypeParser('application/x-www-form-urlencoded', { parseAs: 'string' }, (_request, body, done) => {
    done(null, fieldsOf(body as string))
  })
}

export function formFields(request: FastifyRequest): FormFields {
  return (request.body ?? {}) as FormFields
}

export function queryFields(request: FastifyRequest): FormFields {
  return fieldsOf(request.url.split('?')[1] ?? '')
}

/** The `:id` parameter of the path. */
export function idParam(request: FastifyRequest): string {
  return (request.params as { id: string }).id
}

function fieldsOf(encoded: string): FormFields {
  const fields: Record<string, string> = Object.create(null)
  for (const [name, value] of new URLSearchParams(encoded)) fields[name] ??= value
  return fields
}
