import type { Account } from '../../domain/account.ts'
import { formOf, queryOf } from '../forms.ts'
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
    const text = (form.viewing_key ?? '').trim()
    try {
      // Before a code is asked for: the page that asks keeps the form, and this text may be a secret pasted by mistake.
      await viewingKeys.check(text)
    } catch (fault) {
      return refuse(fault)
    }
    return site.fresh({ request, reply, who, form, at: AT }, () => set(who))

    async function set({ account: before }: SignedIn) {
      try {
        const { account, firstAddress } = await viewingKeys.set(before, text)
        const { steps } = await dashboard.standing(account)
        const changed = { firstAddress, fresh: true, nextStep: !steps.apiKey, notice: 'The viewing key is set.' }
        const shown = { ...(await view(account)), ...changed }
        return viewingKeyPage(site.viewer(who), shown)
      } catch (fault) {
        return refuse(fault)
      }
    }

    /** The text is not shown again. */
    async function refuse(fault: unknown) {
      reply.code(400)
      return viewingKeyPage(site.viewer(who), { ...(await view(who.account)), error: sentence(fault) })
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
