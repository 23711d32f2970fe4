import type { FastifyReply } from 'fastify'
import type { AuthenticatedUser } from '../auth.ts'
import type { Site } from '../context.ts'
import { currentRate } from '../current-rate.ts'
import { errorSentence } from '../error-text.ts'
import { formFields, queryFields } from '../forms.ts'
import type { Html } from '../html.ts'
import { billingPage } from '../pages/billing.ts'
import { paginate } from '../paginate.ts'

const PATH = '/billing'
const PAGE_SIZE = 20

export function billingPages(site: Site): void {
  const { accounts, billing, withdrawals } = site.deps

  async function show(user: AuthenticatedUser, before?: string, error?: string): Promise<Html> {
    const [overview, { items, olderThan }, rate] = await Promise.all([
      accounts.overview(user.account),
      paginate({
        size: PAGE_SIZE,
        before,
        read: page => billing.purchases(user.account, page),
        publicId: ({ invoice }) => invoice.publicId,
      }),
      currentRate(site.deps, withdrawals.currencies[0] ?? 'USD'),
    ])
    return billingPage(site.pageUser(user), {
      overview,
      plans: billing.plans,
      configured: billing.configured,
      rate,
      purchases: items,
      older: olderThan && `${PATH}?before=${olderThan}`,
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
