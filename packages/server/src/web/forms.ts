import type { FastifyRequest } from 'fastify'
import type { App } from '../http/app.ts'

/** What a form or a link brings: each name's first value. */
export type Fields = Readonly<Record<string, string>>

/** Has the pages take what HTML forms send, which the API does not, and nothing else: fields are text. */
export function acceptForms(site: App): void {
  site.removeAllContentTypeParsers()
  site.addContentTypeParser('application/x-www-form-urlencoded', { parseAs: 'string' }, (_request, body, done) => {
    done(null, fieldsOf(body as string))
  })
}

export function formOf(request: FastifyRequest): Fields {
  return (request.body ?? {}) as Fields
}

export function queryOf(request: FastifyRequest): Fields {
  return fieldsOf(request.url.split('?')[1] ?? '')
}

/** The record that a path names. */
export function idOf(request: FastifyRequest): string {
  return (request.params as { id: string }).id
}

function fieldsOf(encoded: string): Fields {
  const fields: Record<string, string> = Object.create(null)
  for (const [name, value] of new URLSearchParams(encoded)) fields[name] ??= value
  return fields
}
