/**
 * All resources come from this server, and nothing is inline. Pages submit forms only to this server. Links that open a
 * wallet are navigations, so no directive covers them.
 */
const contentPolicy = (frameAncestors: string, formAction = "'self'") =>
  [
    "default-src 'none'",
    "script-src 'self'",
    "style-src 'self'",
    "img-src 'self'",
    "connect-src 'self'",
    "manifest-src 'self'",
    `form-action ${formAction}`,
    "base-uri 'none'",
    `frame-ancestors ${frameAncestors}`,
  ].join('; ')

/** Headers of every page. They override those of the API. Pages cannot be framed. */
export const PAGE_HEADERS = {
  'content-security-policy': contentPolicy("'none'"),
  // With `no-referrer` browsers would send `Origin: null` with forms.
  'referrer-policy': 'same-origin',
  'cross-origin-opener-policy': 'same-origin',
  'cross-origin-resource-policy': 'same-origin',
  'permissions-policy': 'camera=(), geolocation=(), microphone=()',
} as const

/**
 * The policy of a page whose only form goes to another site. Browsers hold the redirects that answer it to the policy too,
 * and shops redirect from one of their host names to another.
 * @param origin where the form goes
 */
export const policyWithFormTo = (origin: string) => contentPolicy("'none'", `${origin} https:`)

/**
 * Headers of pages that other sites may frame. Such a page reads no cookie and acts with no one's authority, so there is
 * nothing that a click in a disguised frame could misuse. A page with `Cross-Origin-Embedder-Policy` may frame it too.
 */
const EMBED_HEADERS = {
  ...PAGE_HEADERS,
  'cross-origin-embedder-policy': 'require-corp',
  'cross-origin-resource-policy': 'cross-origin',
} as const

/** @param origins the sites that may frame the page; null: any site */
export function embedHeaders(origins: readonly string[] | null) {
  return { ...EMBED_HEADERS, 'content-security-policy': contentPolicy(origins?.join(' ') ?? '*') }
}
