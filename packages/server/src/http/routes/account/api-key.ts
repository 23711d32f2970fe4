import type * as Wire from '@zatgate/sdk/wire'
import { Type } from 'typebox'
import { MAX_ADDRESS_BLOCKS } from '../../../domain/account/address-block.ts'
import { ALL_SCOPES, type ApiKey, type KeyRights, SCOPE_NAMES, SCOPES } from '../../../domain/account/api-key.ts'
import { MAX_NAME_LENGTH } from '../../../domain/account/credential.ts'
import { invalidField } from '../../../domain/error.ts'
import type { ApiKeys } from '../../../services/account/api-key.ts'
import type { App } from '../../app.ts'
import { accountOf, actorOf } from '../../auth.ts'
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

/** The length of the longest IPv6 address with a prefix. */
const MAX_BLOCK_CHARS = 49

const ScopeSchema = stringEnum(
  ALL_SCOPES,
  `${SCOPE_NAMES.map(name => `\`${name}\`: ${SCOPES[name]}.`).join(' ')} The others are BTCPay's permissions, for shop plugins.`,
)

const apiKeyMembers = {
  id: Id,
  name: Type.String(),
  last4: Type.String(),
  scopes: Type.Optional(Type.Array(ScopeSchema, { description: 'The rights of a scoped key.' })),
  expires_at: Type.Optional(nullable(UnixSecs('When a scoped key ends; null: never.'))),
  addresses: Type.Optional(
    nullable(
      Type.Array(Type.String(), {
        description: 'The CIDR blocks from which a scoped key may be used; null: any address.',
      }),
    ),
  ),
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
      maxItems: ALL_SCOPES.length,
      uniqueItems: true,
      description: 'The rights of the key. Default: create invoices, and nothing else.',
    }),
  ),
  expires_at: Type.Optional(nullable(UnixSecs('When a scoped key ends, in the future. Default null: never.'))),
  addresses: Type.Optional(
    nullable(
      Type.Array(Type.String({ maxLength: MAX_BLOCK_CHARS }), {
        minItems: 1,
        maxItems: MAX_ADDRESS_BLOCKS,
        description: 'IPv4 and IPv6 addresses and CIDR blocks from which a scoped key may be used. Default null: any.',
      }),
    ),
  ),
})

function presentApiKey(key: ApiKey): Wire.ApiKey {
  return {
    id: key.publicId,
    name: key.name,
    last4: key.last4,
    ...(key.rights && {
      scopes: [...key.rights.scopes],
      expires_at: key.rights.expiresAt,
      addresses: key.rights.addresses && [...key.rights.addresses],
    }),
    created_at: key.createdAt,
    last_used_at: key.lastUsedAt,
    revoked_at: key.revokedAt,
  }
}

/** @throws AppError `invalid_expires_at`, `invalid_addresses` for limits without scopes */
function rightsOf({ scopes, ...limits }: Omit<Wire.CreateApiKeyRequest, 'name'>): KeyRights | null {
  if (scopes) return { scopes, expiresAt: limits.expires_at ?? null, addresses: limits.addresses ?? null }
  const [given] = Object.keys(limits)
  if (given !== undefined) throw invalidField(given, 'only with scopes: a key without scopes has no limits')
  return null
}

export function apiKeyRoutes(app: App, { apiKeys }: { apiKeys: ApiKeys }): void {
  const common = { tags: ['API keys'] }

  app.get(
    '/v1/account/api-keys',
    {
      config: { rate: 'list', access: 'session' },
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
        access: 'recent-session',
        errors: ['account_being_deleted', 'too_many_api_keys', 'too_many_changes'],
      },
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
      const { name, ...given } = request.body
      const { apiKey, key } = await apiKeys.create(accountOf(request), name, actorOf(request), rightsOf(given))
      return { ...presentApiKey(apiKey), key }
    },
  )

  app.delete(
    '/v1/account/api-keys/:id',
    {
      config: { rate: 'session', access: 'recent-session', errors: ['no_such_api_key'] },
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
