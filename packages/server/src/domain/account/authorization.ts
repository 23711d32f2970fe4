import { isLoopbackInBrowser } from '../host.ts'
import { isPrintable, withoutUnprintable } from '../text.ts'
import { MAX_NAME_LENGTH } from './credential.ts'
import { isPermission, type Permission } from './permission.ts'

/** Where a shop takes its key. */
export interface KeyReceiver {
  /** As it was given, to the byte: shops put their own secrets into it. */
  readonly url: string
  /** Such as `https://shop.example:8443`. */
  readonly origin: string
  /** With the port, unless it is the usual one. */
  readonly host: string
}

/** Why a request cannot be allowed. */
export type AuthorizationProblem = 'too_long' | 'no_permissions' | 'unsupported_permissions' | 'bad_receiver'

/** The request of a shop plugin for a key, which the owner of the store allows or not. */
export interface Authorization {
  /** The name that the plugin gives itself, on one line. Empty: none. */
  readonly appName: string
  /** In the order in which they were asked for, each once. */
  readonly permissions: readonly Permission[]
  /** Requested permissions that mean nothing here, or belong to another store. */
  readonly unsupported: readonly string[]
  /** Null: the owner copies the key. */
  readonly receiver: KeyReceiver | null
  /** Null: the owner may allow it. */
  readonly problem: AuthorizationProblem | null
}

export const MAX_QUERY_CHARS = 4_000
const MAX_PARAMETERS = 100
const MAX_RECEIVER_CHARS = 2_048
const MAX_SHOWN_CHARS = 100

/**
 * Reads the query of BTCPay's page `/api-keys/authorize`. Names of parameters and permissions may have any case.
 * @param query without its question mark
 * @param storeId the store of the owner: a permission may name it, as in `btcpay.store.canviewinvoices:<store id>`
 */
export function readAuthorization(query: string, storeId: string): Authorization {
  const pairs = query.length > MAX_QUERY_CHARS ? [] : [...new URLSearchParams(query)]
  const valuesOf = (name: string) =>
    pairs.filter(([given]) => given.toLowerCase().replace(/\[\d*\]$/, '') === name).map(([, value]) => value)
  const isTooLong = query.length > MAX_QUERY_CHARS || pairs.length > MAX_PARAMETERS

  const asked = isTooLong ? [] : valuesOf('permissions').flatMap(value => value.split(/[\s,;]+/))
  const names = [...new Set(asked.map(name => withoutStore(name.toLowerCase(), storeId)))].filter(name => name !== '')
  const permissions = names.filter(isPermission)
  const unsupported = names.filter(name => !isPermission(name)).map(shown)
  const isStrict = !['false', '0'].includes(valuesOf('strict')[0]?.toLowerCase() ?? '')

  const [redirect = ''] = valuesOf('redirect')
  const receiver = redirect === '' ? null : receiverOf(redirect)
  const [appName = ''] = [...valuesOf('applicationname'), ...valuesOf('applicationidentifier')]
    .map(nameOf)
    .filter(Boolean)

  function problem(): AuthorizationProblem | null {
    if (isTooLong) return 'too_long'
    if (redirect !== '' && receiver === null) return 'bad_receiver'
    if (isStrict && unsupported.length > 0) return 'unsupported_permissions'
    return permissions.length === 0 ? 'no_permissions' : null
  }
  return { appName, permissions, unsupported, receiver, problem: problem() }
}

function withoutStore(name: string, storeId: string): string {
  const suffix = `:${storeId}`
  return name.endsWith(suffix) ? name.slice(0, -suffix.length) : name
}

function nameOf(text: string): string {
  return withoutUnprintable(text.slice(0, MAX_NAME_LENGTH).replace(/\s+/g, ' '))
}

function shown(text: string): string {
  return text.length > MAX_SHOWN_CHARS ? `${text.slice(0, MAX_SHOWN_CHARS)}…` : text
}

/**
 * The key goes over https, or stays on the machine of the browser. A name before the host would look like another host.
 * A browser removes blanks and turns backslashes, so that it would open another URL than the one that is shown.
 */
function receiverOf(text: string): KeyReceiver | null {
  if (text.length > MAX_RECEIVER_CHARS || !isPrintable(text) || /[\s\\]/.test(text)) return null
  const url = URL.parse(text)
  if (url === null || url.hostname === '' || url.username !== '' || url.password !== '') return null
  const isLocal = url.protocol === 'http:' && isLoopbackInBrowser(url.hostname)
  if (url.protocol !== 'https:' && !isLocal) return null
  return { url: text, origin: url.origin, host: url.host }
}
