import type { FastifyReply } from 'fastify'
import { isForSale, isLowerPlan, type Plan } from '../../../domain/account/plan.ts'
import type { AuthenticatedUser } from '../../auth.ts'
import type { Site } from '../../context.ts'
import { currentRate } from '../../current-rate.ts'
import { errorSentence } from '../../error-text.ts'
import { formFields, queryFields } from '../../forms.ts'
import type { Html } from '../../html.ts'
import { billingPage } from '../../pages/account/billing.ts'
import { type Place, pagerLinks, paginate } from '../../paginate.ts'

interface Shown {
  readonly place?: Place
  readonly error?: string
  readonly lower?: Plan
}

const PATH = '/billing'
const PAGE_SIZE = 20

export function billingPages(site: Site): void {
  const { accounts, billing, signIn, withdrawals } = site.deps

  async function show(user: AuthenticatedUser, { place = {}, error, lower }: Shown = {}): Promise<Html> {
    const [overview, page, rate] = await Promise.all([
      accounts.overview(user.account),
      paginate({
        size: PAGE_SIZE,
        place,
        read: page => billing.purchases(user.account, page),
        idOf: ({ invoice }) => invoice.publicId,
      }),
      currentRate(site.deps, withdrawals.currencies[0] ?? 'USD'),
    ])
    return billingPage(site.pageUser(user), {
      overview,
      plans: billing.plans,
      configured: billing.configured,
      rate,
      purchases: page.items,
      ...pagerLinks(PATH, page),
      ...(error === undefined ? {} : { error }),
      ...(lower === undefined ? {} : { lower }),
    })
  }

  /** The plan of this name, when the account's own allows more and has not ended. */
  async function lowerPlan(user: AuthenticatedUser, name: string): Promise<Plan | undefined> {
    const { plan: current } = await accounts.overview(user.account)
    return billing.plans.find(plan => plan.name === name && isForSale(plan) && isLowerPlan(plan, current))
  }

  site.page('GET', PATH, (request, _reply, user) => show(user, { place: queryFields(request) }))

  site.page('POST', PATH, async (request, reply, user): Promise<Html | FastifyReply> => {
    const { plan = '', lower: isConfirmed } = formFields(request)
    try {
      const lower = isConfirmed === 'yes' ? undefined : await lowerPlan(user, plan)
      if (lower) return show(user, { lower })
      const hasCode = await signIn.isRecentlyAuthenticated(user.session)
      const invoice = await billing.subscribe(user.account, plan, undefined, hasCode)
      return reply.redirect(`/i/${invoice.publicId}`, 303)
    } catch (error) {
      reply.code(400)
      return show(user, { error: errorSentence(error) })
    }
  })
}
