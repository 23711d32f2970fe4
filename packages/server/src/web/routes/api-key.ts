import { formOf, idOf, queryOf } from '../forms.ts'
import type { SignedIn } from '../guard.ts'
import { type ApiKeysView, apiKeysPage } from '../pages/api-key.ts'
import { type Site, sentence } from '../site.ts'

const PAGE = 50
const AT = '/api-keys'

export function apiKeyPages(site: Site): void {
  const { credentials, dashboard, publicUrl } = site.deps

  async function view(who: SignedIn, before?: string): Promise<ApiKeysView> {
    const keys = await credentials.listApiKeys(who.account, {
      limit: PAGE + 1,
      ...(before === undefined ? {} : { before }),
    })
    const last = keys.length > PAGE ? keys[PAGE - 1] : undefined
    return {
      keys: keys.slice(0, PAGE),
      older: last ? `${AT}?before=${last.publicId}` : null,
      publicUrl: publicUrl(),
      firstInvoice: false,
    }
  }

  site.page('GET', AT, async (request, _reply, who) => {
    const { before, done } = queryOf(request)
    const notice = done === 'revoked' ? { notice: 'The key is revoked: it is dead from now on.' } : {}
    return apiKeysPage(site.viewer(who), { ...(await view(who, before)), ...notice })
  })

  site.page('POST', AT, async (request, reply, who) => {
    const form = formOf(request)
    const { name = '' } = form
    return site.fresh({ request, reply, who, form, at: AT }, async () => {
      try {
        const { key } = await credentials.createApiKey(who.account, name)
        const { steps } = await dashboard.standing(who.account)
        const firstInvoice = steps.viewingKey && !steps.invoice
        return apiKeysPage(site.viewer(who), { ...(await view(who)), created: { name, key }, firstInvoice })
      } catch (fault) {
        reply.code(400)
        return apiKeysPage(site.viewer(who), { ...(await view(who)), name, error: sentence(fault) })
      }
    })
  })

  site.page('POST', `${AT}/:id/revoke`, async (request, reply, who) =>
    site.fresh({ request, reply, who, form: formOf(request), at: AT }, async () => {
      await credentials.revokeApiKey(who.account, idOf(request))
      return reply.redirect(`${AT}?done=revoked`, 303)
    }),
  )
}
