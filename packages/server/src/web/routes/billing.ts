import type { FastifyReply } from 'fastify'
import { presentRate } from '../components/fiat.ts'
import { formOf, queryOf } from '../forms.ts'
import type { SignedIn } from '../guard.ts'
import type { Html } from '../html.ts'
import { billingPage } from '../pages/billing.ts'
import { type Site, sentence } from '../site.ts'

const AT = '/billing'
const PAGE = 20

export function billingPages(site: Site): void {
  const { accounts, billing, withdrawals } = site.deps

  async function show(who: SignedIn, before?: string, error?: string): Promise<Html> {
    const page = { limit: PAGE + 1, ...(before === undefined ? {} : { before: before.toLowerCase() }) }
    const [overview, purchases, rate] = await Promise.all([
      accounts.overview(who.account),
      billing.purchases(who.account, page),
      presentRate(site.deps, withdrawals.currencies[0] ?? 'USD'),
    ])
    const last = purchases.length > PAGE ? purchases[PAGE - 1] : undefined
    return billingPage(site.viewer(who), {
      overview,
      plans: billing.plans,
      configured: billing.configured,
      rate,
      purchases: purchases.slice(0, PAGE),
      older: last ? `${AT}?before=${last.invoice.publicId}` : null,
      ...(error === undefined ? {} : { error }),
    })
  }

  site.page('GET', AT, (request, _reply, who) => show(who, queryOf(request).before))

  site.page('POST', AT, async (request, reply, who): Promise<Html | FastifyReply> => {
    try {
      const invoice = await billing.subscribe(who.account, formOf(request).plan ?? '')
      return reply.redirect(`/i/${invoice.publicId}`, 303)
    } catch (fault) {
      reply.code(400)
      return show(who, undefined, sentence(fault))
    }
  })
}
