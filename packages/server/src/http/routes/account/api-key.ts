import type * as Wire from '@zatgate/sdk/wire'
import { Type } from 'typebox'
import { type ApiKey, SCOPE_NAMES, SCOPES } from '../../../domain/account/api-key.ts'
import { MAX_NAME_LENGTH } from '../../../domain/account/credential.ts'
import type { ApiKeys } from '../../../services/account/api-key.ts'
import type { App } from '../../app.ts'
import { type Auth, accountOf, actorOf } from '../../auth.ts'
import {
  Id,
  IdParam,
  NO_CONTENT_RESPONSES,
  nullable,
  PageQuery,
  parsePage,
  responses,
  stringEnum,
  UnixSecs,
  wireBody,
  wireObject,
} from '../../schema.ts'

const ScopeSchema = stringEnum(SCOPE_NAMES, SCOPE_NAMES.map(name => `\`${name}\`: ${SCOPES[name]}.`).join(' '))

const apiKeyMembers = {
  id: Id,
  name: Type.String(),
  last4: Type.String(),
  scopes: Type.Optional(Type.Array(ScopeSchema, { description: 'Of a scoped key.' })),
  created_at: UnixSecs('Creation time.'),
  last_used_at: nullable(UnixSecs('Time of last use, to the minute; null if never used.')),
  revoked_at: nullable(UnixSecs('Time of revocation; null if active.')),
}

const ApiKeySchema = wireObject<Wire.ApiKey>()('ApiKey', apiKeyMembers)

const CreatedApiKeySchema = wireObject<Wire.CreatedApiKey>()('CreatedApiKey', {
  ...apiKeyMembers,
  key: Type.String({ description: 'The API key. Shown only once.' }),
})

const CreateApiKeySchema = wireBody<Wire.CreateApiKeyRequest>()('CreateApiKeyRequest', {
  name: Type.String({ minLength: 1, maxLength: MAX_NAME_LENGTH }),
  scopes: Type.Optional(
    Type.Array(ScopeSchema, {
      minItems: 1,
      maxItems: SCOPE_NAMES.length,
      uniqueItems: true,
      description: 'What the key may do. Default: create invoices, and nothing else.',
    }),
  ),
})

function presentApiKey(key: ApiKey): Wire.ApiKey {
  return {
    id: key.publicId,
    name: key.name,
    last4: key.last4,
    ...(key.scopes && { scopes: [...key.scopes] }),
    created_at: key.createdAt,
    last_used_at: key.lastUsedAt,
    revoked_at: key.revokedAt,
  }
}

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
        response: responses(Type.Array(ApiKeySchema)),
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
        body: CreateApiKeySchema,
        response: responses(CreatedApiKeySchema),
      },
    },
    async request => {
      const { name, scopes } = request.body
      const { apiKey, key } = await apiKeys.create(accountOf(request), name, actorOf(request), scopes)
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
