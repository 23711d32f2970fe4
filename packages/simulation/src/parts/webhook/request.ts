import { createHmac } from 'node:crypto'
import type { WebhookRequest } from '../../world/receivers.ts'
import type { KnownDelivery } from './ledger.ts'
import { claimsOf, type Problem } from './progress.ts'

const ATTEMPT_MS = 5_000
const SIGNATURE_PROBLEMS: ReadonlySet<string> = new Set(['webhook-signature is wrong', 'x-service-signature is wrong'])

/** Checks a request that a receiver has seen, and assigns it to its claim. */
export function requestProblem(delivery: KnownDelivery, request: WebhookRequest): Problem | null {
  const { row } = delivery
  // An earlier claim whose commit was lost has no request.
  const claim = claimsOf(delivery).findLast(
    candidate => candidate.process === request.process && candidate.request === null,
  )
  if (!claim) return ['an attempt is counted before it is sent']
  claim.request = request
  if (request.body !== row.body) return ['a webhook has the bytes of its event', request.body]
  if (request.deadlineMs !== ATTEMPT_MS) return ['a receiver has 5 seconds', `${request.deadlineMs} ms`]
  const known = claim.targets.filter(({ url }) => url === request.url)
  if (known.length === 0 && !claim.mayHaveUnknownTarget)
    return ['a request goes to the webhook of that moment', request.url]
  const targets = known.length > 0 ? known : claim.targets
  const problems = targets.map(({ secret }) => headerProblem(request, row.public_id, secret))
  const isSignedOtherwise = problems.every(problem => problem !== null && SIGNATURE_PROBLEMS.has(problem))
  return problems.includes(null) || (claim.mayHaveUnknownTarget && isSignedOtherwise)
    ? null
    : ['a webhook is signed with the secret of that moment', problems[0] ?? '']
}

/** The reason why a receiver of the webhook that knows its secret rejects the headers; null when it accepts them. */
function headerProblem(request: WebhookRequest, id: string, secret: string): string | null {
  if (!/^whsec_[A-Za-z0-9+/]{43}=$/.test(secret)) return 'the secret is not whsec_ and the base64 of 32 bytes'
  return signatureProblem(request, id, [secret])
}

/**
 * The reason why a receiver rejects the headers; null when it accepts them.
 * @param id of the message @param secrets that sign, the newest first
 */
export function signatureProblem(
  { headers, body, clockMs }: WebhookRequest,
  id: string,
  secrets: readonly [string, ...string[]],
): string | null {
  const timestamp = headers['webhook-timestamp'] ?? ''
  const signed = secrets.map(secret => {
    const hmac = createHmac('sha256', keyOf(secret)).update(`${id}.${timestamp}.${body}`)
    return `v1,${hmac.digest('base64')}`
  })
  const expected = {
    'content-type': 'application/json',
    'webhook-id': id,
    'webhook-timestamp': String(Math.floor(clockMs / 1000)),
    'webhook-signature': signed.join(' '),
    'x-service-signature': createHmac('sha256', secrets[0]).update(body).digest('hex'),
  }
  for (const [name, value] of Object.entries(expected)) if (headers[name] !== value) return `${name} is wrong`
  return (headers['user-agent'] ?? '') === '' ? 'user-agent is missing' : null
}

function keyOf(secret: string): Uint8Array {
  return secret.startsWith('whsec_') ? Buffer.from(secret.slice(6), 'base64') : Buffer.from(secret)
}
