import swagger from '@fastify/swagger'
import type { App } from './app.ts'

/** Serves GET /openapi.json, built from the schemas that validate requests and responses. Call before adding routes. */
export async function addOpenApi(app: App, publicUrl: () => string): Promise<void> {
  await app.register(swagger, {
    openapi: {
      openapi: '3.1.0',
      info: {
        title: 'zatgate',
        version: '1',
        description:
          'Invoices for shielded Zcash. Amounts are integers in zat, times are Unix seconds, errors are flat JSON. The ' +
          'README describes the WebSocket messages and the webhook events.',
      },
      components: {
        securitySchemes: {
          apiKey: { type: 'http', scheme: 'bearer', description: 'An API key: `zg_…`.' },
          session: {
            type: 'http',
            scheme: 'bearer',
            description:
              'A session token: `zgs_…`. Changes of the viewing key, the webhook and the API keys respond with 403 ' +
              '`recent_sign_in_required` to a token that began in a browser, unless a code was entered there in the last ' +
              'ten minutes. Tokens issued for scripts do not need a code.',
          },
        },
      },
    },
    // Routes without a summary are not part of the interface: removed endpoints, preflights, this document.
    transform: ({ schema, url }) => ({ schema: schema?.summary ? schema : { ...schema, hide: true }, url }),
  })
  // Built before the server listens, because it holds the thread for tens of milliseconds.
  app.addHook('onReady', async () => void app.swagger())
  // Serialised once for the public URL, which is known when the server listens.
  let cached = { url: '', document: Buffer.alloc(0) }
  app.get('/openapi.json', { config: { cors: true, rate: 'read' } }, (_request, reply) => {
    const url = publicUrl()
    if (cached.url !== url)
      cached = { url, document: Buffer.from(JSON.stringify({ ...app.swagger(), servers: [{ url }] })) }
    return reply.type('application/json; charset=utf-8').send(cached.document)
  })
}
