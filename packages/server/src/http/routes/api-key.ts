import type * as Wire from '@zatgate/sdk/wire'
import { Type } from 'typebox'
import type { ApiKey as ApiKeyRow } from '../../domain/api-key.ts'
import type { ApiKeys } from '../../services/api-key.ts'
import type { App } from '../app.ts'
import { type Auth, accountOf } from '../auth.ts'
import { ApiKey, CreateApiKey, CreatedApiKey } from '../schemas/api-key.ts'
import { IdParam, NO_CONTENT_RESPONSES, PageQuery, parsePage, responses } from '../schemas/common.ts'

export function apiKeyRoutes(app: App, { apiKeys, auth }: { apiKeys: ApiKeys; auth: Auth }): void {
  const common = { tags: ['api keys'], security: [{ session: [] }] }

  app.get(
    '/v1/account/api-keys',
    {
      onRequest: auth.requireSession,
      schema: {
        ...common,
        summary: 'List the API keys, newest first',
        querystring: PageQuery,
        response: responses(Type.Array(ApiKey)),
      },
    },
    async request => (await apiKeys.list(accountOf(request), parsePage(request.query))).map(present),
  )

  app.post(
    '/v1/account/api-keys',
    {
      onRequest: auth.requireSession,
      schema: {
        ...common,
        summary: 'Create an API key',
        description: 'The response contains the key, which is shown only once.',
        body: CreateApiKey,
        response: responses(CreatedApiKey),
      },
    },
    async request => {
      const { apiKey, key } = await apiKeys.create(accountOf(request), request.body.name)
      return { ...present(apiKey), key }
    },
  )

  app.delete(
    '/v1/account/api-keys/:id',
    {
      onRequest: auth.requireSession,
      schema: { ...common, summary: 'Revoke an API key', params: IdParam, response: NO_CONTENT_RESPONSES },
    },
    async (request, reply) => {
      await apiKeys.revoke(accountOf(request), request.params.id)
      return reply.code(204).send()
    },
  )
}

function present(key: ApiKeyRow): Wire.ApiKey {
  return {
    id: key.publicId,
    name: key.name,
    last4: key.last4,
    created_at: key.createdAt,
    last_used_at: key.lastUsedAt,
    revoked_at: key.revokedAt,
  }
}
