import type { FastifyReply } from 'fastify'
import { noSuch } from '../../domain/error.ts'
import { paymentUri } from '../../domain/payment-uri.ts'
import type { Ordered } from '../../services/withdrawal.ts'
import { readZec } from '../amount.ts'
import { presentRate } from '../components/fiat.ts'
import { formOf, idOf, queryOf } from '../forms.ts'
import type { SignedIn } from '../guard.ts'
import type { Html } from '../html.ts'
import { withdrawalPage } from '../pages/withdrawal.ts'
import { type WithdrawalsView, withdrawalsPage } from '../pages/withdrawal-list.ts'
import { type Site, sentence } from '../site.ts'

const AT = '/withdrawals'
const PAGE = 20

export function withdrawalPages(site: Site): void {
  const { blockSpacing, playground, withdrawals } = site.deps
  const { currencies, spreadBps, configured } = withdrawals

  async function list(who: SignedIn, before?: string, again: Pick<WithdrawalsView, 'form' | 'error'> = {}) {
    const page = { limit: PAGE + 1, ...(before === undefined ? {} : { before: before.toLowerCase() }) }
    const [orders, ...rates] = await Promise.all([
      withdrawals.list(who.account, page),
      ...currencies.map(currency => presentRate(site.deps, currency)),
    ])
    const last = orders.length > PAGE ? orders[PAGE - 1] : undefined
    return withdrawalsPage(site.viewer(who), {
      configured,
      currencies,
      spreadBps,
      rates: rates.filter(rate => rate !== null),
      orders: orders.slice(0, PAGE),
      older: last ? `${AT}?before=${last.withdrawal.publicId}` : null,
      ...again,
    })
  }

  async function detail(who: SignedIn, ordered: Ordered, error?: string): Promise<Html> {
    const { withdrawal, invoice } = ordered
    const payable = playground !== null && withdrawal.status === 'awaiting_deposit' && invoice.receivedZat === 0n
    const spacingSecs = await blockSpacing.current()
    return withdrawalPage(site.viewer(who), {
      ...ordered,
      payable,
      spacingSecs,
      ...(error === undefined ? {} : { error }),
    })
  }

  site.page('GET', AT, (request, _reply, who) => list(who, queryOf(request).before))

  site.page('POST', AT, async (request, reply, who): Promise<Html | FastifyReply> => {
    const { amount = '', currency = '', payout_to: payoutTo = '' } = formOf(request)
    const again = (error: string) => {
      reply.code(400)
      return list(who, undefined, { form: { amount, currency, payoutTo }, error })
    }
    const amountZat = readZec(amount)
    if (amountZat === null) return again('The amount should be in ZEC, more than 0, with at most eight decimals.')
    const order = { amountZat, fiatCurrency: currency, payoutTo: payoutTo.trim(), idempotencyKey: undefined }
    try {
      const { withdrawal } = await withdrawals.create(who.account, order)
      return reply.redirect(`${AT}/${withdrawal.publicId}`, 303)
    } catch (fault) {
      return again(sentence(fault))
    }
  })

  site.page('GET', `${AT}/:id`, async (request, _reply, who) =>
    detail(who, await withdrawals.read(who.account, idOf(request))),
  )

  site.page('POST', `${AT}/:id/cancel`, async (request, reply, who): Promise<Html | FastifyReply> => {
    const id = idOf(request)
    const ordered = await withdrawals.read(who.account, id)
    try {
      await withdrawals.cancel(who.account, id)
      return reply.redirect(`${AT}/${ordered.withdrawal.publicId}`, 303)
    } catch (fault) {
      reply.code(409)
      return detail(who, ordered, sentence(fault))
    }
  })

  site.page('POST', `${AT}/:id/sandbox-payment`, async (request, reply, who) => {
    const { withdrawal, invoice } = await withdrawals.read(who.account, idOf(request))
    if (!playground) throw noSuch('page')
    await playground.pay(paymentUri(invoice.address, withdrawal.amountZat, withdrawal.publicId))
    return reply.redirect(`${AT}/${withdrawal.publicId}`, 303)
  })
}
