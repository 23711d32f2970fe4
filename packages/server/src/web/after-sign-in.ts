import { MAX_QUERY_CHARS } from '../domain/account/authorization.ts'

/** The page on which a shop plugin asks for a key, with and without a slash at its end. */
export const AUTHORIZE_PATHS = ['/api-keys/authorize', '/api-keys/authorize/'] as const

/** The pages that a plugin opens come after the sign-in. Of all other addresses, so that no link leads astray: null. */
export function pageAfterSignIn(address: string | undefined): string | null {
  if (address === undefined || address.length > MAX_QUERY_CHARS + 100) return null
  const url = address.startsWith('/') ? URL.parse(address, 'http://own.invalid') : null
  if (url?.origin !== 'http://own.invalid' || !AUTHORIZE_PATHS.some(path => path === url.pathname)) return null
  return url.pathname + url.search
}
