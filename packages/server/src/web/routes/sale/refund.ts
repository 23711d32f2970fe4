import type { FastifyReply } from 'fastify'
import { AppError } from '../../../domain/error.ts'
import { REFUND_STATUSES, type RefundWithInvoice } from '../../../domain/sale/refund.ts'
import { isUuid } from '../../../domain/uuid.ts'
import { refundUrl } from '../../../http/routes/sale/refund.ts'
import { parseZec } from '../../amount.ts'
import type { AuthenticatedUser } from '../../auth.ts'
import { SELECT_PREFIX } from '../../components/sale/refund-table.ts'
import type { Site } from '../../context.ts'
import { errorSentence } from '../../error-text.ts'
import { formToken } from '../../form-token.ts'
import { type FormFields, formFields, idParam, queryFields } from '../../forms.ts'
import type { Html } from '../../html.ts'
import { newRefundPage } from '../../pages/sale/new-refund.ts'
import { refundPage, refundPaymentPage } from '../../pages/sale/refund.ts'
import { MAX_PAID_AT_ONCE, refundsPage } from '../../pages/sale/refund-list.ts'
import { pagerLinks, paginate } from '../../paginate.ts'
import { plain } from '../../text/dashboard.ts'

const PATH = '/refunds'
const PAGE_SIZE = 25

export function refundPages(site: Site): void {
  const { keyedHash, random, refunds, publicUrl } = site.deps

  const detail = (user: AuthenticatedUser, found: RefundWithInvoice, error?: string): Html =>
    refundPage(site.pageUser(user), {
      ...found,
      url: refundUrl(found.refund, publicUrl()),
      ...(error !== undefined && { error }),
    })

  async function list(user: AuthenticatedUser, query: FormFields, error?: string): Promise<Html> {
    const status = REFUND_STATUSES.find(name => name === query.status) ?? null
    const [page, totals] = await Promise.all([
      paginate({
        size: PAGE_SIZE,
        place: query,
        read: page => refunds.list(user.account, page, status ?? undefined, 'hidden'),
        idOf: ({ refund }) => refund.publicId,
      }),
      refunds.totals(user.account, status ?? undefined),
    ])
    return refundsPage(site.pageUser(user), {
      refunds: page.items,
      status,
      totals,
      token: formToken(keyedHash, user.session),
      ...pagerLinks(PATH, page, { status: status ?? '' }),
      ...(error !== undefined && { error }),
    })
  }

  site.page('GET', PATH, (request, _reply, user) => list(user, queryFields(request)))

  site.page('GET', `${PATH}/:id`, async (request, _reply, user) =>
    detail(user, await refunds.read(user.account, idParam(request))),
  )

  for (const [action, take] of [
    ['cancel', (user: AuthenticatedUser, id: string) => refunds.cancel(user.account, id, user.actor)],
    [
      'sent',
      (user: AuthenticatedUser, id: string, form: FormFields) =>
        refunds.markSent(user.account, id, (form.txid ?? '').trim(), user.actor),
    ],
  ] as const)
    site.page('POST', `${PATH}/:id/${action}`, async (request, reply, user): Promise<Html | FastifyReply> => {
      const found = await refunds.read(user.account, idParam(request))
      try {
        await take(user, found.refund.publicId, formFields(request))
        return reply.redirect(`${PATH}/${found.refund.publicId}`, 303)
      } catch (error) {
        const sentence = errorSentence(error)
        reply.code(409)
        return detail(user, await refunds.read(user.account, idParam(request)), sentence)
      }
    })

  function refuse(reply: FastifyReply, user: AuthenticatedUser, error: string): Promise<Html> {
    reply.code(400)
    return list(user, {}, error)
  }

  site.page('POST', `${PATH}/pay`, async (request, reply, user): Promise<Html | FastifyReply> => {
    const ids = selectedIds(formFields(request))
    if (ids.length === 0) return refuse(reply, user, plain('refunds_none_selected'))
    if (ids.length > MAX_PAID_AT_ONCE) return refuse(reply, user, plain('refunds_too_many', { max: MAX_PAID_AT_ONCE }))
    if (ids.length === 1) return reply.redirect(`${PATH}/${ids[0]}`, 303)
    try {
      return refundPaymentPage(site.pageUser(user), await refunds.ready(user.account, ids))
    } catch (error) {
      return refuse(reply, user, errorSentence(error))
    }
  })

  site.page('POST', `${PATH}/sent`, async (request, reply, user): Promise<Html | FastifyReply> => {
    const form = formFields(request)
    const ids = selectedIds(form)
    if (ids.length > MAX_PAID_AT_ONCE) return refuse(reply, user, plain('refunds_too_many', { max: MAX_PAID_AT_ONCE }))
    const marked: string[] = []
    try {
      // Repeating it after an error changes nothing that is marked already.
      for (const id of ids) {
        await refunds.markSent(user.account, id, (form.txid ?? '').trim(), user.actor)
        marked.push(id)
      }
      return reply.redirect(`${PATH}?status=sent`, 303)
    } catch (error) {
      const sentence = errorSentence(error)
      reply.code(409)
      if (marked.length > 0) return list(user, {}, sentence)
      return refundPaymentPage(site.pageUser(user), await refunds.ready(user.account, ids), sentence)
    }
  })

  site.page('GET', '/invoices/:id/refund', async (request, _reply, user) =>
    newRefundPage(site.pageUser(user), {
      ...(await refunds.refundable(user.account, idParam(request))),
      formId: random.uuid(),
    }),
  )

  site.page('POST', '/invoices/:id/refund', async (request, reply, user): Promise<Html | FastifyReply> => {
    const id = idParam(request)
    const refundable = await refunds.refundable(user.account, id)
    const { form = '', part = 'all', amount = '', address = '', reason = '' } = formFields(request)
    const formId = isUuid(form) ? form : random.uuid()
    const retry = (error: string) => {
      reply.code(400)
      return newRefundPage(site.pageUser(user), { ...refundable, formId, part, amount, address, reason, error })
    }
    const amountZat = part === 'part' ? parseZec(amount) : part === 'overpaid' ? refundable.excessZat : undefined
    if (amountZat === null || amountZat === 0n) return retry(plain('amount_error'))
    const given = {
      ...(amountZat !== undefined && { amountZat }),
      ...(address.trim() !== '' && { address }),
      ...(reason.trim() !== '' && { reason: reason.trim() }),
      idempotencyKey: formId,
    }
    try {
      const { refund } = await refunds.create(user.account, id, given, user.actor)
      return reply.redirect(`${PATH}/${refund.publicId}`, 303)
    } catch (error) {
      if (error instanceof AppError && error.kind === 'not_found') throw error
      return retry(errorSentence(error))
    }
  })
}

/** The refunds that a form selects. */
function selectedIds(form: FormFields): string[] {
  return Object.keys(form).flatMap(name => (name.startsWith(SELECT_PREFIX) ? [name.slice(SELECT_PREFIX.length)] : []))
}
