import type { FastifyReply } from 'fastify'
import { AppError } from '../../../domain/error.ts'
import { paymentUri } from '../../../domain/sale/payment-uri.ts'
import type { WithdrawalWithInvoice } from '../../../services/payout/withdrawal.ts'
import { parseZec } from '../../amount.ts'
import type { AuthenticatedUser } from '../../auth.ts'
import type { Site } from '../../context.ts'
import { currentRate } from '../../current-rate.ts'
import { errorSentence } from '../../error-text.ts'
import { formFields, idParam, queryFields } from '../../forms.ts'
import type { Html } from '../../html.ts'
import { withdrawalPage } from '../../pages/payout/withdrawal.ts'
import { type WithdrawalsView, withdrawalsPage } from '../../pages/payout/withdrawal-list.ts'
import { type Place, pagerLinks, paginate } from '../../paginate.ts'
import { plain } from '../../text/dashboard.ts'

const PATH = '/withdrawals'
const PAGE_SIZE = 20

export function withdrawalPages(site: Site): void {
  const { blockSpacing, sandboxTools, withdrawals } = site.deps
  const { currencies, spreadBps, configured } = withdrawals

  async function list(user: AuthenticatedUser, place: Place = {}, retry: Pick<WithdrawalsView, 'form' | 'error'> = {}) {
    const [page, ...rates] = await Promise.all([
      paginate({
        size: PAGE_SIZE,
        place,
        read: page => withdrawals.list(user.account, page),
        idOf: ({ withdrawal }) => withdrawal.publicId,
      }),
      ...currencies.map(currency => currentRate(site.deps, currency)),
    ])
    return withdrawalsPage(site.pageUser(user), {
      configured,
      currencies,
      spreadBps,
      rates: rates.filter(rate => rate !== null),
      withdrawals: page.items,
      ...pagerLinks(PATH, page),
      ...retry,
    })
  }

  async function detail(user: AuthenticatedUser, order: WithdrawalWithInvoice, error?: string): Promise<Html> {
    const { withdrawal, invoice } = order
    const payable = sandboxTools !== null && withdrawal.status === 'awaiting_deposit' && invoice.receivedZat === 0n
    const spacingSecs = await blockSpacing.current()
    return withdrawalPage(site.pageUser(user), {
      ...order,
      payable,
      spacingSecs,
      ...(error === undefined ? {} : { error }),
    })
  }

  site.page('GET', PATH, (request, _reply, user) => list(user, queryFields(request)))

  site.page('POST', PATH, async (request, reply, user): Promise<Html | FastifyReply> => {
    const form = formFields(request)
    const { amount = '', currency = '', payout_to: payoutTo = '' } = form
    const showForm = (error: string) => {
      reply.code(400)
      return list(user, undefined, { form: { amount, currency, payoutTo }, error })
    }
    const amountZat = parseZec(amount)
    if (amountZat === null) return showForm(plain('amount_error'))
    const order = { amountZat, fiatCurrency: currency, payoutTo: payoutTo.trim(), idempotencyKey: undefined }
    return site.requireRecentAuth({ request, reply, user, form, menuPath: PATH }, async () => {
      try {
        const { withdrawal } = await withdrawals.create(user.account, order, user.actor, true)
        return reply.redirect(`${PATH}/${withdrawal.publicId}`, 303)
      } catch (error) {
        return showForm(errorSentence(error))
      }
    })
  })

  site.page('GET', `${PATH}/:id`, async (request, _reply, user) =>
    detail(user, await withdrawals.read(user.account, idParam(request))),
  )

  site.page('POST', `${PATH}/:id/cancel`, async (request, reply, user): Promise<Html | FastifyReply> => {
    const id = idParam(request)
    const order = await withdrawals.read(user.account, id)
    try {
      await withdrawals.cancel(user.account, id, user.actor)
      return reply.redirect(`${PATH}/${order.withdrawal.publicId}`, 303)
    } catch (error) {
      reply.code(409)
      return detail(user, order, errorSentence(error))
    }
  })

  site.page('POST', `${PATH}/:id/sandbox-payment`, async (request, reply, user) => {
    const { withdrawal, invoice } = await withdrawals.read(user.account, idParam(request))
    if (!sandboxTools) throw new AppError('no_such_page')
    await sandboxTools.pay(paymentUri(invoice.address, withdrawal.amountZat, withdrawal.publicId))
    return reply.redirect(`${PATH}/${withdrawal.publicId}`, 303)
  })
}
