import type { FastifyReply } from 'fastify'
import { notFound } from '../../domain/error.ts'
import { paymentUri } from '../../domain/payment-uri.ts'
import type { WithdrawalWithInvoice } from '../../services/withdrawal.ts'
import { parseZec } from '../amount.ts'
import { currentRate } from '../components/fiat.ts'
import type { Site } from '../context.ts'
import { errorSentence } from '../error-text.ts'
import { formFields, idParam, queryFields } from '../forms.ts'
import type { AuthenticatedUser } from '../guard.ts'
import type { Html } from '../html.ts'
import { withdrawalPage } from '../pages/withdrawal.ts'
import { type WithdrawalsView, withdrawalsPage } from '../pages/withdrawal-list.ts'

const PATH = '/withdrawals'
const PAGE_SIZE = 20

export function withdrawalPages(site: Site): void {
  const { blockSpacing, sandboxTools, withdrawals } = site.deps
  const { currencies, spreadBps, configured } = withdrawals

  async function list(user: AuthenticatedUser, before?: string, retry: Pick<WithdrawalsView, 'form' | 'error'> = {}) {
    const page = { limit: PAGE_SIZE + 1, ...(before === undefined ? {} : { before: before.toLowerCase() }) }
    const [orders, ...rates] = await Promise.all([
      withdrawals.list(user.account, page),
      ...currencies.map(currency => currentRate(site.deps, currency)),
    ])
    const last = orders.length > PAGE_SIZE ? orders[PAGE_SIZE - 1] : undefined
    return withdrawalsPage(site.pageUser(user), {
      configured,
      currencies,
      spreadBps,
      rates: rates.filter(rate => rate !== null),
      withdrawals: orders.slice(0, PAGE_SIZE),
      older: last ? `${PATH}?before=${last.withdrawal.publicId}` : null,
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

  site.page('GET', PATH, (request, _reply, user) => list(user, queryFields(request).before))

  site.page('POST', PATH, async (request, reply, user): Promise<Html | FastifyReply> => {
    const { amount = '', currency = '', payout_to: payoutTo = '' } = formFields(request)
    const showForm = (error: string) => {
      reply.code(400)
      return list(user, undefined, { form: { amount, currency, payoutTo }, error })
    }
    const amountZat = parseZec(amount)
    if (amountZat === null) return showForm('Enter an amount in ZEC greater than 0, with at most eight decimal places.')
    const order = { amountZat, fiatCurrency: currency, payoutTo: payoutTo.trim(), idempotencyKey: undefined }
    try {
      const { withdrawal } = await withdrawals.create(user.account, order)
      return reply.redirect(`${PATH}/${withdrawal.publicId}`, 303)
    } catch (error) {
      return showForm(errorSentence(error))
    }
  })

  site.page('GET', `${PATH}/:id`, async (request, _reply, user) =>
    detail(user, await withdrawals.read(user.account, idParam(request))),
  )

  site.page('POST', `${PATH}/:id/cancel`, async (request, reply, user): Promise<Html | FastifyReply> => {
    const id = idParam(request)
    const order = await withdrawals.read(user.account, id)
    try {
      await withdrawals.cancel(user.account, id)
      return reply.redirect(`${PATH}/${order.withdrawal.publicId}`, 303)
    } catch (error) {
      reply.code(409)
      return detail(user, order, errorSentence(error))
    }
  })

  site.page('POST', `${PATH}/:id/sandbox-payment`, async (request, reply, user) => {
    const { withdrawal, invoice } = await withdrawals.read(user.account, idParam(request))
    if (!sandboxTools) throw notFound('page')
    await sandboxTools.pay(paymentUri(invoice.address, withdrawal.amountZat, withdrawal.publicId))
    return reply.redirect(`${PATH}/${withdrawal.publicId}`, 303)
  })
}
