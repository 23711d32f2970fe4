import { ALL_SCOPES, type KeyRights } from '../../../domain/account/api-key.ts'
import { COMMON_PERMISSIONS, isPermission } from '../../../domain/account/permission.ts'
import { invalidField } from '../../../domain/error.ts'
import { DAY_SECS, parseDay } from '../../../domain/time.ts'
import { nowSecs } from '../../../ports/clock.ts'
import type { AuthenticatedUser } from '../../auth.ts'
import type { Site } from '../../context.ts'
import { errorSentence } from '../../error-text.ts'
import { type FormFields, formFields, idParam, queryFields } from '../../forms.ts'
import { type ApiKeysView, apiKeysPage, SCOPE_PREFIX } from '../../pages/account/api-key.ts'
import { type Place, pagerLinks, paginate } from '../../paginate.ts'
import { plain } from '../../text/dashboard.ts'

const PAGE_SIZE = 50
const PATH = '/api-keys'

/** The form with the choice for a shop plugin. */
const PLUGIN_FORM = Object.fromEntries(COMMON_PERMISSIONS.map(name => [SCOPE_PREFIX + name, '1']))

/** The rights that the form asks for. A key is valid to the end of its last day, in UTC. */
function rightsIn(form: FormFields, now: number): KeyRights | null {
  const { last_day: lastDay = '', addresses = '' } = form
  const scopes = ALL_SCOPES.filter(scope => form[SCOPE_PREFIX + scope] !== undefined)
  if (scopes.length === 0) {
    for (const [name, value] of Object.entries({ last_day: lastDay, addresses }))
      if (value !== '') throw invalidField(name, plain('key_scope_missing'))
    return null
  }
  const day = parseDay(lastDay)
  if (lastDay !== '' && (day === null || day + DAY_SECS <= now))
    throw invalidField('last_day', plain('key_last_day_error'))
  const blocks = addresses.split(/[\s,;]+/).filter(block => block !== '')
  return { scopes, expiresAt: day && day + DAY_SECS, addresses: blocks.length > 0 ? blocks : null }
}

export function apiKeyPages(site: Site): void {
  const { apiKeys, clock, dashboard, publicUrl } = site.deps

  async function view(user: AuthenticatedUser, place: Place = {}): Promise<ApiKeysView> {
    const page = await paginate({
      size: PAGE_SIZE,
      place,
      read: page => apiKeys.list(user.account, page),
      idOf: key => key.publicId,
    })
    return {
      keys: page.items,
      ...pagerLinks(PATH, page),
      now: nowSecs(clock),
      publicUrl: publicUrl(),
      storeId: user.account.publicId,
      firstInvoice: false,
    }
  }

  site.page('GET', PATH, async (request, _reply, user) => {
    const query = queryFields(request)
    const { done } = query
    const flash = done === 'revoked' ? { flash: plain('key_revoked_done') } : {}
    const form = query.for === 'plugin' ? { form: PLUGIN_FORM } : {}
    return apiKeysPage(site.pageUser(user), { ...(await view(user, query)), ...flash, ...form })
  })

  site.page('POST', PATH, async (request, reply, user) => {
    const form = formFields(request)
    const { name = '' } = form
    return site.requireRecentAuth({ request, reply, user, form, menuPath: PATH }, async () => {
      try {
        const rights = rightsIn(form, nowSecs(clock))
        const { key } = await apiKeys.create(user.account, name, user.actor, rights)
        const createsInvoices = rights === null || rights.scopes.includes('invoices:create')
        const setupSteps = await dashboard.setupSteps(user.account)
        const firstInvoice = setupSteps.viewingKey && !setupSteps.invoice
        return apiKeysPage(site.pageUser(user), {
          ...(await view(user)),
          created: { name, key, createsInvoices, isForPlugin: rights?.scopes.some(isPermission) ?? false },
          firstInvoice,
        })
      } catch (error) {
        reply.code(400)
        return apiKeysPage(site.pageUser(user), {
          ...(await view(user)),
          form,
          error: errorSentence(error),
        })
      }
    })
  })

  site.page('POST', `${PATH}/:id/revoke`, async (request, reply, user) =>
    site.requireRecentAuth({ request, reply, user, form: formFields(request), menuPath: PATH }, async () => {
      await apiKeys.revoke(user.account, idParam(request), user.actor)
      return reply.redirect(`${PATH}?done=revoked`, 303)
    }),
  )
}
