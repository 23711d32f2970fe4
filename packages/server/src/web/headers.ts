/**
 * All resources come from this server, and nothing is inline. Pages cannot be framed and submit forms only to this
 * server. Links that open a wallet are navigations, so no directive covers them.
 */
const CONTENT_POLICY = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "img-src 'self'",
  "connect-src 'self'",
  "form-action 'self'",
  "base-uri 'none'",
  "frame-ancestors 'none'",
].join('; ')

/** Headers of every page. They override those of the API. */
export const PAGE_HEADERS = {
  'content-security-policy': CONTENT_POLICY,
  // With `no-referrer` browsers would send `Origin: null` with forms.
  'referrer-policy': 'same-origin',
  'cross-origin-opener-policy': 'same-origin',
  'cross-origin-resource-policy': 'same-origin',
  'permissions-policy': 'camera=(), geolocation=(), microphone=()',
} as const
