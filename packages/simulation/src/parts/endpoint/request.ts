import type { WebhookRequest } from '../../world/receivers.ts'
import type { EventRow } from '../event/new-events.ts'
import type { Problem } from '../webhook/progress.ts'
import { signatureProblem } from '../webhook/request.ts'
import type { EndpointClaim, EndpointTarget } from './ledger.ts'

const ATTEMPT_MS = 5_000
/** From a claim to its request. */
const SENT_WITHIN_MS = 8_000

/**
 * Checks a request that a receiver has seen, and assigns it to its claim.
 * @param claims all that were committed; several endpoints may have its URL, each with its own secret
 * @param wasSet see `clockWasSet`
 */
export function assignRequest(
  claims: readonly EndpointClaim[],
  event: EventRow,
  request: WebhookRequest,
  wasSet: boolean,
): Problem | null {
  const candidates = claims.filter(
    claim =>
      claim.process === request.process &&
      claim.request === null &&
      claim.accountId === event.account_id &&
      claim.seq === event.seq &&
      claim.targets.some(({ url }) => url === request.url),
  )
  const checked = candidates.map(claim => ({ claim, problem: requestProblem(claim, event, request, wasSet) }))
  const assigned = checked.findLast(({ problem }) => problem === null) ?? checked.at(-1)
  if (!assigned) return ['an attempt is counted before it is sent']
  assigned.claim.request = request
  return assigned.problem
}

/** Checks a request to an endpoint. @param wasSet see `clockWasSet` */
export function requestProblem(
  claim: EndpointClaim,
  event: EventRow,
  request: WebhookRequest,
  wasSet = false,
): Problem | null {
  const body = `${event.body.slice(0, -1)},"event_id":"${event.public_id}","seq":${event.seq}}`
  if (request.body !== body) return ['an endpoint gets the bytes of its event, with its id and number', request.body]
  if (request.deadlineMs !== ATTEMPT_MS) return ['a receiver has 5 seconds', `${request.deadlineMs} ms`]
  const problems = claim.targets
    .filter(({ url }) => url === request.url)
    .flatMap(target => signersOf(target, request.clockMs, wasSet))
    .map(secrets => signatureProblem(request, event.public_id, secrets))
  return problems.includes(null)
    ? null
    : ['an endpoint is signed with its secret, and for a day with the earlier one', problems[0] ?? request.url]
}

/** The secrets that may sign a request. The time of the claim decides, which is shortly before. */
function signersOf(
  { secrets, earlierUntilMs }: EndpointTarget,
  clockMs: number,
  wasSet: boolean,
): (readonly [string, ...string[]])[] {
  const newest = [secrets[0]] as const
  if (secrets.length === 1) return [newest]
  if (wasSet) return [secrets, newest]
  if (clockMs < earlierUntilMs) return [secrets]
  return clockMs < earlierUntilMs + SENT_WITHIN_MS ? [secrets, newest] : [newest]
}
