import type { FastifyRequest } from 'fastify'
import { AppError } from '../domain/error.ts'
import type { App } from '../http/app.ts'
import { MAX_LOGO_FILE_BYTES } from '../http/routes/account/store-profile.ts'
import { plain } from './text/dashboard.ts'

/** A file with the parts of a form around it. */
const MAX_FILE_FORM_BYTES = MAX_LOGO_FILE_BYTES + 16 * 1024
/** The rest of a larger form is read and dropped up to here, so that a browser shows the response. */
const MAX_DROPPED_BYTES = 16 * 1024 * 1024

/** Fields of a form or a query string: the first value of each name. */
export type FormFields = Readonly<Record<string, string>>

/** Makes the pages accept HTML form bodies and nothing else. Fields are text, and one a file on the pages that take one. */
export function acceptForms(site: App): void {
  site.removeAllContentTypeParsers()
  site.addContentTypeParser('application/x-www-form-urlencoded', { parseAs: 'string' }, (_request, body, done) => {
    done(null, fieldsOf(body as string))
  })
  site.addContentTypeParser('multipart/form-data', async (request: FastifyRequest, body: AsyncIterable<Buffer>) => {
    if (!request.routeOptions.config.takesFile) throw new AppError('unsupported_media_type')
    const form = await readFileForm(body)
    if (form === null) return 'too large'
    const headers = { 'content-type': request.headers['content-type'] ?? '' }
    return new Response(new Uint8Array(form), { headers }).formData().catch(() => null)
  })
}

export function formFields(request: FastifyRequest): FormFields {
  return (request.body ?? {}) as FormFields
}

/** The bytes of a file in a form. @throws AppError `body_too_large`; `bad_request` when there is none */
export async function fileField({ body }: FastifyRequest, name: string): Promise<Uint8Array> {
  if (body === 'too large') throw new AppError('body_too_large')
  const file = body instanceof FormData ? body.get(name) : null
  if (!(file instanceof File)) throw new AppError('bad_request', { detail: plain('file_missing') })
  return new Uint8Array(await file.arrayBuffer())
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

/** Null for a form that is too large. @throws AppError `body_too_large` for one that is far too large */
async function readFileForm(body: AsyncIterable<Buffer>): Promise<Buffer | null> {
  const chunks: Buffer[] = []
  let bytes = 0
  for await (const chunk of body) {
    bytes += chunk.length
    if (bytes <= MAX_FILE_FORM_BYTES) chunks.push(chunk)
    if (bytes > MAX_DROPPED_BYTES) throw new AppError('body_too_large')
  }
  return bytes > MAX_FILE_FORM_BYTES ? null : Buffer.concat(chunks)
}
