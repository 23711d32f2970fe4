import { PERMISSION_NAMES, type Permission } from '../../src/domain/account/permission.ts'
import type { ApiKeys } from '../../src/services/account/api-key.ts'
import type { Merchant } from './api.ts'
import { type CallOptions, call, type TestResponse } from './http-call.ts'

interface Api {
  readonly url: string
  readonly apiKeys: Pick<ApiKeys, 'create'>
}

/** A key of a shop plugin. Default: with all permissions. */
export async function pluginKey(
  api: Api,
  { account }: Pick<Merchant, 'account'>,
  scopes: readonly Permission[] = PERMISSION_NAMES,
): Promise<string> {
  return (await api.apiKeys.create(account, 'shop', undefined, { scopes, expiresAt: null, addresses: null })).key
}

/** Calls BTCPay's API as plugins do. A path without a slash at its start is within the store. */
export async function greenfieldClient(api: Api, merchant: Pick<Merchant, 'account'>) {
  const key = await pluginKey(api, merchant)
  const store = `/api/v1/stores/${merchant.account.publicId}`
  return (line: string, { token = key, ...options }: CallOptions = {}): Promise<TestResponse> => {
    const [method = '', path = ''] = line.split(' ')
    const headers = { authorization: `token ${token}`, 'content-type': 'application/json', ...options.headers }
    return call(api, `${method} ${path.startsWith('/') ? path : `${store}/${path}`}`, { ...options, headers })
  }
}
