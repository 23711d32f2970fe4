import { Type } from 'typebox'
import type { ApiKeys } from '../../services/api-key.ts'
import type { App } from '../app.ts'
import { type Auth, accountOf, actorOf } from '../auth.ts'
import { presentApiKey } from '../presenters/api-key.ts'
import { ApiKey, CreateApiKey, CreatedApiKey } from '../schemas/api-key.ts'
import { IdParam } from '../schemas/common.ts'
import { PageQuery, parsePage } from '../schemas/page.ts'
import { NO_CONTENT_RESPONSES, responses } from '../schemas/response.ts'

export function apiKeyRoutes(app: App, { apiKeys, auth }: { apiKeys: ApiKeys; auth: Auth }): void {
  const common = { tags: ['API keys'], security: [{ sessionAuth: [] }] }

  app.get(
    '/v1/account/api-keys',
    {
      config: { rate: 'list' },
      onRequest: auth.requireSession,
      schema: {
        ...common,
        operationId: 'listApiKeys',
        summary: 'List the API keys, newest first',
        querystring: PageQuery,
        response: responses(Type.Array(ApiKey)),
      },
    },
    async request => (await apiKeys.list(accountOf(request), parsePage(request.query))).map(presentApiKey),
  )

  app.post(
    '/v1/account/api-keys',
    {
      config: {
        rate: 'session',
        errors: ['recent_sign_in_required', 'account_being_deleted', 'too_many_api_keys', 'too_many_changes'],
      },
      onRequest: auth.requireRecentSignIn,
      schema: {
        ...common,
        operationId: 'createApiKey',
        summary: 'Create an API key',
        description: 'The response contains the key, which is shown only once.',
        body: CreateApiKey,
        response: responses(CreatedApiKey),
      },
    },
    async request => {
      const { apiKey, key } = await apiKeys.create(accountOf(request), request.body.name, actorOf(request))
      return { ...presentApiKey(apiKey), key }
    },
  )

  app.delete(
    '/v1/account/api-keys/:id',
    {
      config: { rate: 'session', errors: ['recent_sign_in_required', 'no_such_api_key'] },
      onRequest: auth.requireRecentSignIn,
      schema: {
        ...common,
        operationId: 'revokeApiKey',
        summary: 'Revoke an API key',
        params: IdParam,
        response: NO_CONTENT_RESPONSES,
      },
    },
    async (request, reply) => {
      await apiKeys.revoke(accountOf(request), request.params.id, actorOf(request))
      return reply.code(204).send()
    },
  )
}
