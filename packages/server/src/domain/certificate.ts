interface Problem {
  readonly says: string
  /** How to solve it. */
  readonly advice: string
}

const UNKNOWN_AUTHORITY: Problem = {
  says: 'the certificate is not from an authority that this machine trusts',
  advice: 'install the whole chain on the server, or name its authority with NODE_EXTRA_CA_CERTS=<file>',
}
const SELF_SIGNED: Problem = {
  says: 'the certificate is self-signed',
  advice: 'use one of a public authority, or name this one with NODE_EXTRA_CA_CERTS=<file>',
}
const NO_TLS: Problem = {
  says: 'the server does not speak TLS on this port',
  advice: 'check scheme and port of the URL',
}

/** By the codes of OpenSSL and Node. */
const PROBLEMS: Readonly<Record<string, Problem>> = {
  ERR_TLS_CERT_ALTNAME_INVALID: {
    says: 'the certificate is for another name',
    advice: 'connect by a name of the certificate, or renew the certificate with this name',
  },
  CERT_HAS_EXPIRED: {
    says: 'the certificate has expired',
    advice: 'renew the certificate of the server; check the clock of this machine',
  },
  CERT_NOT_YET_VALID: {
    says: 'the certificate is not valid yet',
    advice: 'check the clock of this machine, and the certificate of the server',
  },
  CERT_REVOKED: { says: 'the certificate is revoked', advice: 'replace the certificate of the server' },
  DEPTH_ZERO_SELF_SIGNED_CERT: SELF_SIGNED,
  SELF_SIGNED_CERT_IN_CHAIN: UNKNOWN_AUTHORITY,
  UNABLE_TO_GET_ISSUER_CERT: UNKNOWN_AUTHORITY,
  UNABLE_TO_GET_ISSUER_CERT_LOCALLY: UNKNOWN_AUTHORITY,
  UNABLE_TO_VERIFY_LEAF_SIGNATURE: UNKNOWN_AUTHORITY,
  ERR_SSL_WRONG_VERSION_NUMBER: NO_TLS,
  ERR_SSL_PACKET_LENGTH_TOO_LONG: NO_TLS,
}

/**
 * Why TLS failed, and what to do. Null: the error, or its innermost cause, is about something else.
 * @param error with the code of OpenSSL or Node in `code`; in `originalCode` when a library has replaced it
 */
export function certificateProblem(error: unknown): Problem | null {
  if (!(error instanceof Error)) return null
  const inner = error.cause instanceof Error ? certificateProblem(error.cause) : null
  if (inner) return inner
  const { code, originalCode = code } = error as { readonly code?: unknown; readonly originalCode?: unknown }
  return typeof originalCode === 'string' && Object.hasOwn(PROBLEMS, originalCode)
    ? withNames(PROBLEMS[originalCode]!, error)
    : null
}

/** Adds the names that the certificate has. */
function withNames(problem: Problem, error: Error): Problem {
  const names = 'cert' in error ? (error.cert as { subjectaltname?: unknown } | undefined)?.subjectaltname : undefined
  if (typeof names !== 'string') return problem
  return { ...problem, says: `${problem.says}: it has ${names.slice(0, 200)}` }
}
