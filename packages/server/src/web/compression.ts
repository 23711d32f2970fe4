import { promisify } from 'node:util'
import { brotliCompress, constants, gzip } from 'node:zlib'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'

type Encoding = 'br' | 'gzip'

/** Smaller ones fit in one packet as they are. */
const MIN_BYTES = 1_024
/** The quality for a page, which is made for each request. It costs about a millisecond. */
const PAGE_QUALITY = 5

const brotli = promisify(brotliCompress)
const gzipped = promisify(gzip)

/**
 * Compresses HTML. A compressed length tells who can guess about its content (BREACH), and pages of a session have form
 * tokens and other secrets beside what their address says. So this is for pages that read no cookie: those of buyers, where
 * who knows the address may read all, and those asked for without one.
 * @param readsNoCookie whether the page of a request is the same whatever its cookies
 */
export function compressPages(app: FastifyInstance, readsNoCookie: (request: FastifyRequest) => boolean): void {
  app.addHook('onSend', async (request, reply, payload) => {
    if (typeof payload !== 'string' || !String(reply.getHeader('content-type')).startsWith('text/html')) return payload
    if (request.headers.cookie !== undefined && !readsNoCookie(request)) return payload
    reply.header('vary', 'accept-encoding')
    const encoding = encodingOf(request)
    if (encoding === null || payload.length < MIN_BYTES) return payload
    const bytes = await compress(Buffer.from(payload), encoding, PAGE_QUALITY)
    reply.header('content-encoding', encoding)
    return bytes
  })
}

/** A file that is the same for all, compressed at its first request in each encoding. Its responses vary by `accept-encoding`. */
export function compressible(bytes: Buffer): (request: FastifyRequest, reply: FastifyReply) => Promise<Buffer> {
  const made = new Map<Encoding, Promise<Buffer>>()
  return async (request, reply) => {
    const encoding = encodingOf(request)
    if (encoding === null || bytes.length < MIN_BYTES) return bytes
    const compressed = made.get(encoding) ?? compress(bytes, encoding, constants.BROTLI_MAX_QUALITY)
    made.set(encoding, compressed)
    reply.header('content-encoding', encoding)
    return compressed
  }
}

function compress(bytes: Buffer, encoding: Encoding, quality: number): Promise<Buffer> {
  if (encoding === 'gzip') return gzipped(bytes)
  const { BROTLI_PARAM_QUALITY, BROTLI_PARAM_SIZE_HINT } = constants
  return brotli(bytes, { params: { [BROTLI_PARAM_QUALITY]: quality, [BROTLI_PARAM_SIZE_HINT]: bytes.length } })
}

/** The best encoding that a client names and does not refuse with `q=0`. Null: none. */
function encodingOf({ headers }: FastifyRequest): Encoding | null {
  const accepted = String(headers['accept-encoding'] ?? '')
    .toLowerCase()
    .split(',')
    .map(item => item.split(';').map(part => part.trim()))
    .filter(([, weight = '']) => !/^q=0(\.0*)?$/.test(weight))
    .map(([name]) => name)
  return (['br', 'gzip'] as const).find(name => accepted.includes(name)) ?? null
}
