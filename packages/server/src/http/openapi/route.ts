import { gunzipSync, gzipSync } from 'node:zlib'
import type { RouteOptions } from 'fastify'
import type { App } from '../app.ts'
import { apiDocument } from './document.ts'
import type { JsonObject } from './shared-schemas.ts'

const DESCRIPTION = `Invoices for shielded Zcash. Amounts are integers in zat (1 ZEC is 100,000,000 zat), times are Unix \
seconds unless a field says otherwise, ids are UUIDs.

Create invoices with an API key. Everything about the account needs a session token, which the dashboard issues; some \
of it takes a scoped API key as well, which can end and be bound to addresses. An invoice id is the access token for reading that invoice and for starting a swap on it.

Errors are flat JSON: a stable \`code\` for programs and a \`message\` for people, often with a \`detail\` that says what \
would be right. \`doc_url\` shows what the code means and what to do.`

const SECURITY_SCHEMES = {
  apiKeyAuth: {
    type: 'http',
    scheme: 'bearer',
    description:
      'An API key. One without scopes, `zg_…`, creates invoices and can do nothing else. A scoped one, `zgk_…`, can do ' +
      'what its scopes name; each operation names those that it takes. Outside of its addresses, if it has any, the ' +
      'response is 403 `address_not_allowed`.',
  },
  sessionAuth: {
    type: 'http',
    scheme: 'bearer',
    description:
      'A session token: `zgs_…`. Changes of the viewing key, the webhook and the API keys respond with 403 ' +
      '`recent_sign_in_required` to a token that began in a browser, unless a code was entered there in the last ' +
      'ten minutes. Tokens issued for scripts do not need a code.',
  },
} as const

const HEAD = {
  openapi: '3.1.0',
  info: { title: 'zatgate', version: '1', description: DESCRIPTION, license: { name: 'MIT', identifier: 'MIT' } },
  components: { securitySchemes: SECURITY_SCHEMES },
}

/**
 * Serves GET /openapi.json, built from the schemas that validate requests and responses. Call before adding routes.
 * @returns a function that reads the document, once the server is ready
 */
export function addOpenApi(app: App, publicUrl: () => string): () => JsonObject {
  const routes: RouteOptions[] = []
  // Routes without a summary are not part of the interface: removed endpoints, preflights, this document.
  app.addHook('onRoute', route => {
    if (route.schema?.summary !== undefined && route.method !== 'HEAD') routes.push(route)
  })
  // Built before the server listens, because it holds the thread for tens of milliseconds. Compressed, it takes 5 % of the
  // memory.
  let compressed = Buffer.alloc(0)
  app.addHook('onReady', async () => {
    compressed = gzipSync(JSON.stringify(apiDocument(HEAD, routes.splice(0))))
  })
  const read = (): JsonObject => JSON.parse(gunzipSync(compressed).toString())
  // Serialised once for the public URL, which is known when the server listens.
  let cached = { url: '', document: Buffer.alloc(0) }
  app.get('/openapi.json', { config: { cors: true, rate: 'read', access: 'public' } }, (_request, reply) => {
    const url = publicUrl()
    if (cached.url !== url) cached = { url, document: Buffer.from(JSON.stringify({ ...read(), servers: [{ url }] })) }
    return reply.type('application/json; charset=utf-8').send(cached.document)
  })
  return read
}
