import { SCOPE_NAMES } from '../../../domain/account/api-key.ts'
import type { AuthenticatedUser } from '../../auth.ts'
import type { Site } from '../../context.ts'
import { errorSentence } from '../../error-text.ts'
import { formFields, idParam, queryFields } from '../../forms.ts'
import { type ApiKeysView, apiKeysPage, SCOPE_PREFIX } from '../../pages/account/api-key.ts'
import { paginate } from '../../paginate.ts'

const PAGE_SIZE = 50
const PATH = '/api-keys'

export function apiKeyPages(site: Site): void {
  const { apiKeys, dashboard, publicUrl } = site.deps

  async function view(user: AuthenticatedUser, before?: string): Promise<ApiKeysView> {
    const { items, olderThan } = await paginate({
      size: PAGE_SIZE,
      before,
      read: page => apiKeys.list(user.account, page),
      publicId: key => key.publicId,
    })
    return {
      keys: items,
      older: olderThan && `${PATH}?before=${olderThan}`,
      publicUrl: publicUrl(),
      firstInvoice: false,
    }
  }

  site.page('GET', PATH, async (request, _reply, user) => {
    const { before, done } = queryFields(request)
    const flash = done === 'revoked' ? { flash: 'API key revoked. It no longer works.' } : {}
    return apiKeysPage(site.pageUser(user), { ...(await view(user, before)), ...flash })
  })

  site.page('POST', PATH, async (request, reply, user) => {
    const form = formFields(request)
    const { name = '' } = form
    const chosen = SCOPE_NAMES.filter(scope => form[SCOPE_PREFIX + scope] !== undefined)
    const scopes = chosen.length > 0 ? chosen : null
    return site.requireRecentAuth({ request, reply, user, form, menuPath: PATH }, async () => {
      try {
        const { key } = await apiKeys.create(user.account, name, user.actor, scopes)
        const setupSteps = await dashboard.setupSteps(user.account)
        const firstInvoice = setupSteps.viewingKey && !setupSteps.invoice
        return apiKeysPage(site.pageUser(user), { ...(await view(user)), created: { name, key }, firstInvoice })
      } catch (error) {
        reply.code(400)
        return apiKeysPage(site.pageUser(user), {
          ...(await view(user)),
          name,
          scopes: chosen,
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
