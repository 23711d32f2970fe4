import { AppError } from '../../../domain/error.ts'
import { type Endpoint, isActive } from '../../../domain/notify/endpoint.ts'
import type { AttemptRow } from '../../../ports/repository/notify/delivery.ts'
import type { Webhook } from '../../../ports/repository/notify/webhook.ts'
import type { LogFilter } from '../../../services/notify/delivery-log.ts'
import type { AuthenticatedUser } from '../../auth.ts'
import { filterParameters, parseDeliveryFilter } from '../../components/notify/delivery-filter.ts'
import type { Site } from '../../context.ts'
import { errorSentence } from '../../error-text.ts'
import { formFields, idParam, queryFields } from '../../forms.ts'
import { attemptPage } from '../../pages/notify/attempt.ts'
import { type WebhookView, webhookPage } from '../../pages/notify/webhook.ts'
import { type Place, pagerLinks, paginate } from '../../paginate.ts'
import { receiversFor } from '../../receivers.ts'
import { plain } from '../../text/dashboard.ts'

const PAGE_SIZE = 25
const PATH = '/webhook'

const FLASHES: ReadonlyMap<string, string> = new Map([
  ['url', plain('webhook_url_changed')],
  ['test', plain('test_event_queued')],
  ['resend', plain('event_resent')],
  ['resent', plain('events_resent')],
  ['resent-some', plain('events_resent_some')],
  ['none-failed', plain('events_none_failed')],
  ['removed', plain('webhook_removed')],
  ['endpoint-removed', plain('endpoint_removed')],
])

/** After these the page refreshes until the deliveries have ended. */
const AWAITED: ReadonlySet<string> = new Set(['test', 'resend', 'resent', 'resent-some'])

export function webhookPages(site: Site): void {
  const { endpoints, webhooks } = site.deps

  async function view(user: AuthenticatedUser, place: Place = {}, filter: LogFilter = {}): Promise<WebhookView> {
    const page = await paginate({
      size: PAGE_SIZE,
      place,
      read: page => webhooks.deliveries(user.account, page, filter),
      idOf: delivery => delivery.publicId,
    })
    const webhook = await webhookOf(user)
    return {
      webhook,
      endpoints: await endpoints.listWithFailed(user.account),
      receivers: await receiversFor(webhook && URL.parse(webhook.url)),
      deliveries: page.items,
      filter,
      failed: await webhooks.countFailed(user.account),
      ...pagerLinks(PATH, page, filterParameters(filter), '#log'),
    }
  }

  async function webhookOf({ account }: AuthenticatedUser): Promise<Webhook | null> {
    try {
      return await webhooks.read(account)
    } catch (error) {
      if (error instanceof AppError && error.code === 'webhook_not_set') return null
      throw error
    }
  }

  /** The endpoint of an attempt, unless it was removed. */
  async function endpointOf(
    { account }: AuthenticatedUser,
    { endpointPublicId }: AttemptRow,
  ): Promise<Endpoint | null> {
    if (endpointPublicId === null) return null
    return (await endpoints.list(account)).find(({ publicId }) => publicId === endpointPublicId) ?? null
  }

  site.page('GET', PATH, async (request, _reply, user) => {
    const query = queryFields(request)
    const { done = '' } = query
    const flash = FLASHES.get(done)
    const awaiting = AWAITED.has(done)
    const shown = {
      ...(await view(user, query, parseDeliveryFilter(query))),
      awaiting,
      ...(flash === undefined ? {} : { flash }),
    }
    return webhookPage(site.pageUser(user), shown)
  })

  site.page('POST', PATH, async (request, reply, user) => {
    const form = formFields(request)
    const { url = '' } = form
    return site.requireRecentAuth({ request, reply, user, form, menuPath: PATH }, async () => {
      try {
        const { secret } = await webhooks.set(user.account, url.trim(), user.actor)
        if (secret === null) return reply.redirect(`${PATH}?done=url`, 303)
        return webhookPage(site.pageUser(user), { ...(await view(user)), secret, flash: plain('webhook_saved') })
      } catch (error) {
        reply.code(400)
        return webhookPage(site.pageUser(user), { ...(await view(user)), url, error: errorSentence(error) })
      }
    })
  })

  site.page('POST', `${PATH}/rotate-secret`, async (request, reply, user) =>
    site.requireRecentAuth({ request, reply, user, form: formFields(request), menuPath: PATH }, async () => {
      const secret = await webhooks.rotateSecret(user.account, user.actor)
      return webhookPage(site.pageUser(user), { ...(await view(user)), secret, flash: plain('secret_rotated') })
    }),
  )

  site.page('POST', `${PATH}/remove`, async (request, reply, user) =>
    site.requireRecentAuth({ request, reply, user, form: formFields(request), menuPath: PATH }, async () => {
      await webhooks.remove(user.account, user.actor)
      return reply.redirect(`${PATH}?done=removed`, 303)
    }),
  )

  site.page('POST', `${PATH}/test`, async (_request, reply, user) => {
    await webhooks.test(user.account)
    return reply.redirect(`${PATH}?done=test`, 303)
  })

  site.page('POST', `${PATH}/deliveries/:id/resend`, async (request, reply, user) => {
    await webhooks.resend(user.account, idParam(request))
    return reply.redirect(`${PATH}?done=resend`, 303)
  })

  site.page('POST', `${PATH}/resend-failed`, async (_request, reply, user) => {
    const { resent, left } = await webhooks.resendFailed(user.account)
    const done = left > 0 ? 'resent-some' : 'resent'
    return reply.redirect(`${PATH}?done=${resent === 0 ? 'none-failed' : done}`, 303)
  })

  site.page('GET', `${PATH}/attempts/:id`, async (request, _reply, user) => {
    const attempt = await webhooks.attempt(user.account, idParam(request))
    const attempts = await webhooks.attemptsOf(user.account, attempt.deliveryPublicId)
    const endpoint = await endpointOf(user, attempt)
    const isResendable =
      attempt.endpointPublicId === null ? (await webhookOf(user)) !== null : endpoint !== null && isActive(endpoint)
    return attemptPage(site.pageUser(user), attempt, { attempts, endpoint, isResendable })
  })
}
