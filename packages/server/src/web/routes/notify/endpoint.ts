import { AppError, invalidField } from '../../../domain/error.ts'
import { SCHEDULES } from '../../../domain/notify/endpoint.ts'
import type { EventType } from '../../../domain/notify/event.ts'
import { parseDay } from '../../../domain/time.ts'
import { nowSecs } from '../../../ports/clock.ts'
import type { EndpointRequest } from '../../../services/notify/endpoint-terms.ts'
import type { AuthenticatedUser } from '../../auth.ts'
import { CHOOSABLE_TYPES } from '../../components/notify/event-type.ts'
import type { Site } from '../../context.ts'
import { errorSentence } from '../../error-text.ts'
import { type FormFields, formFields, idParam, queryFields } from '../../forms.ts'
import type { Html } from '../../html.ts'
import {
  type EndpointForm,
  type EndpointView,
  endpointPage,
  newEndpointPage,
  TYPE_PREFIX,
} from '../../pages/notify/endpoint.ts'
import { plain } from '../../text/dashboard.ts'

const PATH = '/webhook/endpoints'
const MENU_PATH = '/webhook'
const LISTED_DELIVERIES = 10

const FLASHES: ReadonlyMap<string, string> = new Map([
  ['saved', plain('endpoint_saved')],
  ['test', plain('test_event_queued')],
  ['resumed', plain('endpoint_resumed')],
  ['recovering', plain('endpoint_recovering')],
  ['recovered', plain('endpoint_recovered')],
  ['none', plain('endpoint_nothing_missed')],
  ['disabled', plain('endpoint_disabled_done')],
])

/** After these the page refreshes until the deliveries have ended. */
const AWAITED: ReadonlySet<string> = new Set(['test', 'recovering', 'recovered'])

export function endpointPages(site: Site): void {
  const { clock, endpoints, webhooks } = site.deps

  async function page(
    user: AuthenticatedUser,
    id: string,
    shown: Partial<Omit<EndpointView, 'endpoint'>> = {},
  ): Promise<Html> {
    const endpoint = await endpoints.read(user.account, id)
    return endpointPage(site.pageUser(user), {
      endpoint,
      failed: await endpoints.countFailed(endpoint),
      deliveries: await webhooks.deliveries(user.account, { limit: LISTED_DELIVERIES }, { endpoint: id }),
      now: nowSecs(clock),
      ...shown,
    })
  }

  site.page('GET', `${PATH}/new`, async (_request, _reply, user) => newEndpointPage(site.pageUser(user), {}))

  site.page('POST', PATH, async (request, reply, user) => {
    const form = formFields(request)
    return site.requireRecentAuth({ request, reply, user, form, menuPath: MENU_PATH }, async () => {
      try {
        const terms = { ...newTerms(form), ...secretOf(form) }
        const { endpoint, secret } = await endpoints.create(user.account, terms, user.actor)
        return page(user, endpoint.publicId, { secret, flash: plain('endpoint_added') })
      } catch (error) {
        const problem = errorSentence(error)
        reply.code(400)
        return newEndpointPage(site.pageUser(user), { form: filledIn(form), error: problem })
      }
    })
  })

  site.page('GET', `${PATH}/:id`, (request, _reply, user) => {
    const { done = '' } = queryFields(request)
    const flash = FLASHES.get(done)
    return page(user, idParam(request), { awaiting: AWAITED.has(done), ...(flash !== undefined && { flash }) })
  })

  site.page('POST', `${PATH}/:id`, async (request, reply, user) => {
    const form = formFields(request)
    const id = idParam(request)
    return site.requireRecentAuth({ request, reply, user, form, menuPath: MENU_PATH }, async () => {
      const before = await endpoints.read(user.account, id)
      try {
        await endpoints.change(user.account, id, parseTerms(form, before.types), user.actor)
        return reply.redirect(`${PATH}/${before.publicId}?done=saved`, 303)
      } catch (error) {
        const problem = errorSentence(error)
        reply.code(400)
        return page(user, id, { form: filledIn(form), error: problem })
      }
    })
  })

  site.page('POST', `${PATH}/:id/resume`, async (request, reply, user) => {
    const form = formFields(request)
    const id = idParam(request)
    return site.requireRecentAuth({ request, reply, user, form, menuPath: MENU_PATH }, async () => {
      const recover = form.recover !== undefined
      await endpoints.resume(user.account, id, { recover }, user.actor)
      return reply.redirect(`${PATH}/${id}?done=${recover ? 'recovering' : 'resumed'}`, 303)
    })
  })

  site.page('POST', `${PATH}/:id/disable`, async (request, reply, user) => {
    const id = idParam(request)
    return site.requireRecentAuth(
      { request, reply, user, form: formFields(request), menuPath: MENU_PATH },
      async () => {
        await endpoints.change(user.account, id, { enabled: false }, user.actor)
        return reply.redirect(`${PATH}/${id}?done=disabled`, 303)
      },
    )
  })

  site.page('POST', `${PATH}/:id/rotate-secret`, async (request, reply, user) => {
    const form = formFields(request)
    const id = idParam(request)
    return site.requireRecentAuth({ request, reply, user, form, menuPath: MENU_PATH }, async () => {
      try {
        const secret = await endpoints.rotateSecret(user.account, id, secretOf(form).secret, user.actor)
        const { dialect } = await endpoints.read(user.account, id)
        const flash = plain(dialect === 'greenfield' ? 'secret_rotated_plugin' : 'secret_rotated')
        return page(user, id, { secret, flash })
      } catch (error) {
        if (!(error instanceof AppError && error.kind === 'invalid')) throw error
        reply.code(400)
        return page(user, id, { error: errorSentence(error) })
      }
    })
  })

  site.page('POST', `${PATH}/:id/remove`, async (request, reply, user) => {
    const id = idParam(request)
    return site.requireRecentAuth(
      { request, reply, user, form: formFields(request), menuPath: MENU_PATH },
      async () => {
        await endpoints.remove(user.account, id, user.actor)
        return reply.redirect(`${MENU_PATH}?done=endpoint-removed`, 303)
      },
    )
  })

  site.page('POST', `${PATH}/:id/test`, async (request, reply, user) => {
    const id = idParam(request)
    await endpoints.test(user.account, id)
    return reply.redirect(`${PATH}/${id}?done=test`, 303)
  })

  site.page('POST', `${PATH}/:id/recover`, async (request, reply, user) => {
    const id = idParam(request)
    try {
      const since = parseDay(formFields(request).since ?? '')
      if (since === null) throw invalidField('since', plain('date_error'))
      const first = await endpoints.recover(user.account, id, since, user.actor)
      return reply.redirect(`${PATH}/${id}?done=${first === null ? 'none' : 'recovered'}`, 303)
    } catch (error) {
      if (!(error instanceof AppError && error.kind === 'invalid')) throw error
      reply.code(400)
      return page(user, id, { error: errorSentence(error) })
    }
  })
}

/** The form as it was filled in, also if it is refused. */
function filledIn(form: FormFields): EndpointForm {
  const types = CHOOSABLE_TYPES.filter(type => form[TYPE_PREFIX + type] !== undefined)
  return {
    url: form.url ?? '',
    types: types.length === CHOOSABLE_TYPES.length ? null : types,
    schedule: SCHEDULES.find(name => name === form.schedule) ?? 'standard',
    ...(form.format === 'greenfield' && { dialect: 'greenfield' as const }),
  }
}

/** An endpoint for a shop plugin gets all events, on the schedule of BTCPay. */
function newTerms(form: FormFields): EndpointRequest {
  const { dialect, ...terms } = parseTerms(form)
  if (dialect !== 'greenfield') return terms
  return { url: terms.url, schedule: 'greenfield', greenfield: { events: null, application: null } }
}

/** @param before the types so far: those without a box stay */
function parseTerms(form: FormFields, before: readonly EventType[] | null = null): EndpointForm {
  const { url, types, schedule, dialect } = filledIn(form)
  const kept = before?.filter(type => type === 'test') ?? []
  const given = types && types.length > 0 ? [...types, ...kept] : types
  return { url: url.trim(), types: given, schedule, ...(dialect && { dialect }) }
}

function secretOf({ secret = '' }: FormFields): { readonly secret?: string } {
  return secret === '' ? {} : { secret }
}
