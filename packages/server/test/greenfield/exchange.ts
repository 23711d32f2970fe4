import { once } from 'node:events'
import { type IncomingMessage, request } from 'node:http'
import type { Json } from '../harness/greenfield.ts'

/** A request as its bytes are sent. */
export interface RawRequest {
  readonly method: string
  /** With the query. */
  readonly path: string
  readonly headers: Readonly<Record<string, string>>
  readonly body: string | null
}

/** An answer over HTTP. */
export interface Answer {
  readonly status: number
  readonly headers: Headers
  readonly text: string
  /** Parsed; undefined for an empty body. */
  readonly body: Json
}

/**
 * Sends these headers and this body, and nothing else: no User-Agent, a Content-Type without a body, a body on a GET. Follows
 * no redirect.
 */
export async function exchange(origin: string, { method, path, headers, body }: RawRequest): Promise<Answer> {
  const length = body === null ? {} : { 'content-length': String(Buffer.byteLength(body)) }
  const sent = request(origin, { method, path, headers: { ...headers, ...length }, agent: false })
  sent.end(body ?? undefined)
  const [response] = (await once(sent, 'response')) as [IncomingMessage]
  const text = await textOf(response)
  return {
    status: response.statusCode ?? 0,
    headers: new Headers(response.headers as Record<string, string>),
    text,
    body: text === '' ? undefined : JSON.parse(text),
  }
}

/** The whole body of a message, as text. */
export async function textOf(message: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = []
  for await (const chunk of message) chunks.push(chunk)
  return Buffer.concat(chunks).toString()
}
