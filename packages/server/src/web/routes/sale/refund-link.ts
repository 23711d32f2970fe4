import type { FastifyRequest } from 'fastify'
import { withoutMarksAround } from '../../../domain/text.ts'
import { httpStatusOf, toAppError } from '../../../http/error.ts'
import { buyerView } from '../../buyer.ts'
import type { Site } from '../../context.ts'
import { formFields, idParam, queryFields } from '../../forms.ts'
import { refundLinkPage } from '../../pages/sale/refund-link.ts'

const PREFIXES = { main: 'u1', test: 'utest1', regtest: 'uregtest1' } as const

/** The page where a buyer says where a refund is sent. The secret in its path is the credential. */
export function refundLinkPages(site: Site): void {
  const { refundLinks, network } = site.deps

  async function shownFor(request: FastifyRequest) {
    const found = await refundLinks.read(idParam(request))
    const view = await buyerView(site.deps, request, {
      accountId: found.invoice.accountId,
      chosen: queryFields(request).lang,
      given: found.invoice.locale,
      inLanguage: locale => `?lang=${locale}`,
    })
    return { ...view, ...found, prefix: PREFIXES[network] }
  }

  site.publicPage('GET', '/r/:id', async request => refundLinkPage(await shownFor(request)))

  site.publicPage('POST', { path: '/r/:id', rate: 'swap' }, async (request, reply) => {
    const id = idParam(request)
    // Copied addresses often have spaces or invisible marks around them.
    const entered = withoutMarksAround(formFields(request).address ?? '')
    try {
      await refundLinks.giveAddress(id, entered)
      return reply.redirect(request.url, 303)
    } catch (thrown) {
      const { kind } = toAppError(thrown)
      if (kind !== 'invalid' && kind !== 'conflict') throw thrown
      reply.code(httpStatusOf(toAppError(thrown)))
      return refundLinkPage({ ...(await shownFor(request)), ...(kind === 'invalid' && { entered }) })
    }
  })
}
