import { isPrivateHost } from '../config/private-host.ts'
import { credentialKindOf, isWellFormedCredential } from '../domain/account/credential.ts'
import { UsageError } from './argument.ts'
import type { Context } from './context.ts'
import { readSandboxFile } from './sandbox-file.ts'

/** Where a service is, and the credential for the events of an account. */
export interface AccountAccess {
  readonly baseUrl: string
  readonly credential: { readonly apiKey: string } | { readonly sessionToken: string }
  /** Stays the same between runs: the key, or that of the sandbox, whose session token changes. */
  readonly stableKey: string
}

/**
 * From the options, or ZATGATE_URL and ZATGATE_API_KEY, or the sandbox in the data directory, whose API key stands for its
 * session token.
 * @throws UsageError that says what is missing or wrong, without a part of the key
 */
export function accountAccess(
  options: { readonly url?: string | undefined; readonly 'api-key'?: string | undefined },
  context: Context,
): AccountAccess {
  const url = options.url ?? context.env.ZATGATE_URL?.trim()
  const key = options['api-key'] ?? context.env.ZATGATE_API_KEY?.trim()
  const sandbox = !key || credentialKindOf(key) === 'apiKey' ? readSandboxFile(context) : null
  const isSandbox = sandbox && (!url || isSameOrigin(url, sandbox.api_url)) && (!key || key === sandbox.api_key)
  if (isSandbox) {
    const { api_url: baseUrl, session_token: sessionToken, api_key: stableKey } = sandbox
    return { baseUrl, credential: { sessionToken }, stableKey }
  }
  if (!url && !key) throw new UsageError('ZATGATE_URL and ZATGATE_API_KEY are missing, and no sandbox was started here')
  return { baseUrl: requireServiceUrl(url), ...requireKey(key) }
}

function isSameOrigin(url: string, other: string): boolean {
  return URL.parse(url)?.origin === URL.parse(other)?.origin
}

function requireServiceUrl(text: string | undefined): string {
  if (!text) throw new UsageError('ZATGATE_URL or --url is missing: the address of the service')
  const url = URL.parse(text)
  if (!url || !/^https?:$/.test(url.protocol))
    throw new UsageError('ZATGATE_URL or --url must be an address such as https://pay.example.org')
  if (url.protocol === 'http:' && !isPrivateHost(url))
    throw new UsageError('ZATGATE_URL or --url must begin with https://, since the key is sent there')
  return url.href.replace(/\/+$/, '')
}

function requireKey(key: string | undefined): Omit<AccountAccess, 'baseUrl'> {
  if (!key) throw new UsageError('ZATGATE_API_KEY or --api-key is missing: a key with the scope events:read')
  const kind = credentialKindOf(key)
  if (kind === null || kind === 'apiKey')
    throw new UsageError('ZATGATE_API_KEY or --api-key must be a scoped key (zgk_…) with events:read')
  if (!isWellFormedCredential(kind, key))
    throw new UsageError('ZATGATE_API_KEY or --api-key is incomplete or mistyped: copy it again')
  return { credential: kind === 'session' ? { sessionToken: key } : { apiKey: key }, stableKey: key }
}
