import { permissionsOf } from '../../domain/account/api-key.ts'
import type { ApiKeys } from '../../services/account/api-key.ts'
import type { App } from '../app.ts'
import { actorOf } from '../auth.ts'
import { type GreenfieldRequest, route } from './dialect.ts'
import { GreenfieldError } from './error.ts'

const ANY = { permissions: [], rate: 'read' } as const
const CURRENT = '/api/v1/api-keys/current'

export function apiKeyRoutes(scope: App, { apiKeys }: { readonly apiKeys: Pick<ApiKeys, 'revoke'> }): void {
  async function revoke({ account, key, raw }: GreenfieldRequest): Promise<undefined> {
    await apiKeys.revoke(account, key.publicId, actorOf(raw))
    return undefined
  }

  // Plugins compare the permissions with those that they have asked for: neither more nor fewer.
  route(scope, 'GET', CURRENT, ANY, async ({ account, key, keyText }) => ({
    apiKey: keyText,
    label: key.name,
    permissions: permissionsOf(key).map(name => `${name}:${account.publicId}`),
  }))

  route(scope, 'DELETE', CURRENT, ANY, revoke)

  // The service keeps hashes: it knows no other key by its text than the one that was sent.
  route(scope, 'DELETE', '/api/v1/api-keys/:apiKey', ANY, request => {
    if (request.params.apiKey !== request.keyText) throw new GreenfieldError('apikey-not-found')
    return revoke(request)
  })
}
