import type { Account } from '../../domain/account/account.ts'
import type { Endpoint } from '../../domain/notify/endpoint.ts'
import { GREENFIELD_EVENTS, type GreenfieldEvent, parseGreenfieldEvent } from '../../domain/notify/greenfield-event.ts'
import { RawJson } from '../../domain/raw-json.ts'
import { isPrintable } from '../../domain/text.ts'
import { isUuid } from '../../domain/uuid.ts'
import type { DeliveryRow } from '../../ports/repository/notify/delivery.ts'
import type { Endpoints } from '../../services/notify/endpoint.ts'
import type { Webhooks } from '../../services/notify/webhook.ts'
import type { App } from '../app.ts'
import { actorOf } from '../auth.ts'
import { type GreenfieldRequest, route } from './dialect.ts'
import { GreenfieldError, refuse } from './error.ts'
import { type Members, Reader } from './read.ts'

const WEBHOOKS = '/api/v1/stores/:storeId/webhooks'
/** A webhook has two paths: within its store, and since BTCPay 2.4 alone. */
const pathsOf = (end = '') => [`${WEBHOOKS}/:webhookId${end}`, `/api/v1/webhooks/:webhookId${end}`]

const PERMISSIONS = ['btcpay.store.webhooks.canmodifywebhooks'] as const
const READ = { permissions: PERMISSIONS, rate: 'list' } as const
const WRITE = { permissions: PERMISSIONS, rate: 'session' } as const
const DELIVERIES = { max: 200, default: 50 } as const

interface Deps {
  readonly endpoints: Endpoints
  readonly webhooks: Pick<Webhooks, 'deliveries' | 'attempt' | 'attemptsOf' | 'resend'>
}

/** BTCPay's webhooks are the endpoints that get the events in its dialect. Others are not seen here. */
export function webhookRoutes(scope: App, { endpoints, webhooks }: Deps): void {
  async function find({ account, params }: GreenfieldRequest): Promise<Endpoint> {
    const endpoint = await endpoints.read(account, params.webhookId ?? '')
    if (endpoint.dialect !== 'greenfield') throw new GreenfieldError('webhook-not-found')
    return endpoint
  }

  async function findDelivery(account: Account, endpoint: Endpoint, id = ''): Promise<DeliveryRow> {
    const filter = { endpoint: endpoint.publicId, publicId: id.toLowerCase() }
    const [delivery] = isUuid(id) ? await webhooks.deliveries(account, { limit: 1 }, filter) : []
    if (!delivery) throw new GreenfieldError('webhookdelivery-not-found')
    return delivery
  }

  route(scope, 'GET', WEBHOOKS, READ, async ({ account }) =>
    (await endpoints.list(account)).filter(({ dialect }) => dialect === 'greenfield').map(presentWebhook),
  )

  route(scope, 'POST', WEBHOOKS, WRITE, async ({ account, key, body, raw }) => {
    const { url = '', greenfieldEvents = null, schedule = 'greenfield', enabled = true, secret } = readTerms(body, true)
    const greenfield = { events: greenfieldEvents, application: key.name }
    const request = { url, schedule, enabled, greenfield, ...(secret !== undefined && { secret }) }
    const created = await endpoints.create(account, request, actorOf(raw))
    return { ...presentWebhook(created.endpoint), secret: created.secret }
  })

  route(scope, 'GET', pathsOf(), READ, async request => presentWebhook(await find(request)))

  route(scope, 'PUT', pathsOf(), WRITE, async request => {
    const { account, body, raw } = request
    const { publicId } = await find(request)
    return presentWebhook(await endpoints.change(account, publicId, readTerms(body, false), actorOf(raw)))
  })

  route(scope, 'DELETE', pathsOf(), WRITE, async request => {
    await endpoints.remove(request.account, (await find(request)).publicId, actorOf(request.raw))
    return undefined
  })

  route(scope, 'GET', pathsOf('/deliveries'), READ, async request => {
    const { publicId } = await find(request)
    const read = new Reader()
    const limit = read.number({ count: request.query.count?.[0] }, 'count') ?? DELIVERIES.default
    if (!Number.isInteger(limit) || limit < 1 || limit > DELIVERIES.max)
      read.fail('count', `must be 1 to ${DELIVERIES.max}`)
    refuse(read.errors)
    const found = await webhooks.deliveries(request.account, { limit }, { endpoint: publicId })
    return found.map(presentDelivery)
  })

  route(scope, 'GET', pathsOf('/deliveries/:deliveryId'), READ, async request =>
    presentDelivery(await findDelivery(request.account, await find(request), request.params.deliveryId)),
  )

  route(scope, 'GET', pathsOf('/deliveries/:deliveryId/request'), READ, async request => {
    const { lastAttempts } = await findDelivery(request.account, await find(request), request.params.deliveryId)
    const [last] = lastAttempts
    if (!last) throw new GreenfieldError('webhookdelivery-not-found', 'The delivery has not been sent yet')
    return new RawJson((await webhooks.attempt(request.account, last.publicId)).requestBody)
  })

  route(scope, 'POST', pathsOf('/deliveries/:deliveryId/redeliver'), WRITE, async request => {
    const { publicId } = await findDelivery(request.account, await find(request), request.params.deliveryId)
    return webhooks.resend(request.account, publicId)
  })
}

/** @throws FieldErrors */
function readTerms(body: Members, isNew: boolean) {
  const read = new Reader()
  const url = read.text(body, 'url')
  if (isNew && !url) read.fail('url', 'required, an absolute https URL')
  if (url && !isPrintable(url)) read.fail('url', 'must have no invisible characters')
  const enabled = read.flag(body, 'enabled')
  const isRepeated = read.flag(body, 'automaticRedelivery')
  const authorized = read.members(body, 'authorizedEvents')
  const events = readEvents(read, authorized)
  const secret = read.text(body, 'secret')
  refuse(read.errors)
  return {
    ...(url && { url: url.trim() }),
    ...(enabled !== undefined && { enabled }),
    ...(isRepeated !== undefined && { schedule: isRepeated ? ('greenfield' as const) : ('once' as const) }),
    ...(events !== undefined && { greenfieldEvents: events }),
    ...(secret && { secret }),
  }
}

/** Null: all events. Undefined: the body says nothing of them. Names that do not exist here are left out beside others. */
function readEvents(read: Reader, authorized: Members): GreenfieldEvent[] | null | undefined {
  const everything = read.flag(authorized, 'authorizedEvents.everything')
  const names = read.texts(authorized, 'authorizedEvents.specificEvents')
  if (everything === true || (everything === undefined && names === undefined)) return everything ? null : undefined
  const known = [...new Set(names)].flatMap(name => parseGreenfieldEvent(name) ?? [])
  if (known.length > 0) return known
  read.fail('authorizedEvents.specificEvents', `must have at least one of ${GREENFIELD_EVENTS.join(', ')}`)
  return undefined
}

function presentWebhook({ publicId, enabled, schedule, url, greenfieldEvents }: Endpoint) {
  return {
    id: publicId,
    enabled,
    automaticRedelivery: schedule === 'greenfield',
    url,
    authorizedEvents: { everything: greenfieldEvents === null, specificEvents: greenfieldEvents ?? [] },
  }
}

function presentDelivery({ publicId, createdAt, state, lastAttempts }: DeliveryRow) {
  const [last] = lastAttempts
  const failure = last?.statusCode == null ? 'Failed' : 'HttpError'
  return {
    id: publicId,
    timestamp: createdAt,
    deliveryTime: last?.createdAt ?? createdAt,
    httpCode: last?.statusCode ?? null,
    ...(last?.error && { errorMessage: last.error }),
    status: state === 'delivered' ? 'HttpSuccess' : last?.error ? failure : 'Pending',
  }
}
