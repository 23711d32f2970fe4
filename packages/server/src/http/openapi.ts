import swagger from '@fastify/swagger'
import type { App } from './app.ts'

/** GET /openapi.json, made of the same schemas that check requests and answers. Add before the routes. */
export async function addOpenApi(app: App, publicUrl: () => string): Promise<void> {
  await app.register(swagger, {
    openapi: {
      openapi: '3.1.0',
      info: {
        title: 'zatgate',
        version: '1',
        description:
          'Invoices for shielded Zcash. Amounts are whole zat, times Unix seconds, errors flat JSON. See the README ' +
          'for the WebSocket messages and the webhook events.',
      },
      components: {
        securitySchemes: {
          apiKey: { type: 'http', scheme: 'bearer', description: 'An API key: `zg_…`.' },
          session: { type: 'http', scheme: 'bearer', description: 'A session token: `zgs_…`.' },
        },
      },
    },
    // A route without a summary is none of the interface: what is removed, preflights, this document itself.
    transform: ({ schema, url }) => ({ schema: schema?.summary ? schema : { ...schema, hide: true }, url }),
  })
  app.get('/openapi.json', { config: { cors: true } }, () => ({ ...app.swagger(), servers: [{ url: publicUrl() }] }))
}
