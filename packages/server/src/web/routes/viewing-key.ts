import type { Account } from '../../domain/account.ts'
import { formOf, queryOf } from '../form.ts'
import type { SignedIn } from '../guard.ts'
import { viewingKeyPage } from '../pages/viewing-key.ts'
import { type Site, sentence } from '../site.ts'

const AT = '/viewing-key'

export function viewingKeyPages(site: Site): void {
  const { accounts, blockSpacing, dashboard, network, playground, viewingKeys } = site.deps

  const view = async (account: Account) => ({
    firstAddress: await viewingKeys.firstAddress(account),
    network,
    confirmations: account.confirmations,
    expiry: account.viewingKeyExpiry,
    spacingSecs: await blockSpacing.current(),
    demoKey: playground?.viewingKey ?? null,
    nextStep: false,
  })

  site.page('GET', AT, async (request, _reply, who) => {
    const notice = queryOf(request).done === 'confirmations' ? { notice: 'Saved, for new invoices.' } : {}
    return viewingKeyPage(site.viewer(who), { ...(await view(who.account)), ...notice })
  })

  site.page('POST', AT, async (request, reply, who) => {
    const form = formOf(request)
    return site.fresh({ request, reply, who, form, at: AT }, () => set(form.viewing_key ?? '', who))

    async function set(text: string, { account: before }: SignedIn) {
      try {
        const { account, firstAddress } = await viewingKeys.set(before, text.trim())
        const { steps } = await dashboard.standing(account)
        const changed = { firstAddress, fresh: true, nextStep: !steps.apiKey, notice: 'The viewing key is set.' }
        const shown = { ...(await view(account)), ...changed }
        return viewingKeyPage(site.viewer(who), shown)
      } catch (fault) {
        reply.code(400)
        // The text is not shown again: it may be a secret that was pasted by mistake.
        return viewingKeyPage(site.viewer(who), { ...(await view(before)), error: sentence(fault) })
      }
    }
  })

  site.page('POST', '/confirmations', async (request, reply, who) => {
    const { confirmations = '' } = formOf(request)
    try {
      await accounts.setConfirmations(who.account, /^\d{1,3}$/.test(confirmations) ? Number(confirmations) : Number.NaN)
      return reply.redirect(`${AT}?done=confirmations`, 303)
    } catch (fault) {
      reply.code(400)
      return viewingKeyPage(site.viewer(who), { ...(await view(who.account)), error: sentence(fault) })
    }
  })
}
