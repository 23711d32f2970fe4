import type { FastifyReply } from 'fastify'
import { currentRate } from '../components/fiat.ts'
import type { Site } from '../context.ts'
import { errorSentence } from '../error-text.ts'
import { formFields, queryFields } from '../forms.ts'
import type { AuthenticatedUser } from '../guard.ts'
import type { Html } from '../html.ts'
import { billingPage } from '../pages/billing.ts'

const PATH = '/billing'
const PAGE_SIZE = 20

export function billingPages(site: Site): void {
  const { accounts, billing, withdrawals } = site.deps

  async function show(user: AuthenticatedUser, before?: string, error?: string): Promise<Html> {
    const page = { limit: PAGE_SIZE + 1, ...(before === undefined ? {} : { before: before.toLowerCase() }) }
    const [overview, purchases, rate] = await Promise.all([
      accounts.overview(user.account),
      billing.purchases(user.account, page),
      currentRate(site.deps, withdrawals.currencies[0] ?? 'USD'),
    ])
    const last = purchases.length > PAGE_SIZE ? purchases[PAGE_SIZE - 1] : undefined
    return billingPage(site.pageUser(user), {
      overview,
      plans: billing.plans,
      configured: billing.configured,
      rate,
      purchases: purchases.slice(0, PAGE_SIZE),
      older: last ? `${PATH}?before=${last.invoice.publicId}` : null,
      ...(error === undefined ? {} : { error }),
    })
  }

  site.page('GET', PATH, (request, _reply, user) => show(user, queryFields(request).before))

  site.page('POST', PATH, async (request, reply, user): Promise<Html | FastifyReply> => {
    try {
      const invoice = await billing.subscribe(user.account, formFields(request).plan ?? '')
      return reply.redirect(`/i/${invoice.publicId}`, 303)
    } catch (error) {
      reply.code(400)
      return show(user, undefined, errorSentence(error))
    }
  })
}
