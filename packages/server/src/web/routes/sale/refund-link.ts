import { withoutMarksAround } from '../../../domain/text.ts'
import { httpStatusOf, toAppError } from '../../../http/error.ts'
import type { Site } from '../../context.ts'
import { errorSentence } from '../../error-text.ts'
import { formFields, idParam } from '../../forms.ts'
import { refundLinkPage } from '../../pages/sale/refund-link.ts'

const PREFIXES = { main: 'u1', test: 'utest1', regtest: 'uregtest1' } as const

/** The page where a buyer says where a refund is sent. The secret in its path is the credential. */
export function refundLinkPages(site: Site): void {
  const { refundLinks, network } = site.deps
  const isTest = network !== 'main'
  const shown = () => ({ isTest, prefix: PREFIXES[network] })

  site.publicPage('GET', '/r/:id', async request =>
    refundLinkPage({ ...(await refundLinks.read(idParam(request))), ...shown() }),
  )

  site.publicPage('POST', { path: '/r/:id', rate: 'swap' }, async (request, reply) => {
    const id = idParam(request)
    // Copied addresses often have spaces or invisible marks around them.
    const entered = withoutMarksAround(formFields(request).address ?? '')
    try {
      const { refund } = await refundLinks.giveAddress(id, entered)
      return reply.redirect(`/r/${refund.linkId}`, 303)
    } catch (thrown) {
      const found = await refundLinks.read(id)
      reply.code(httpStatusOf(toAppError(thrown)))
      return refundLinkPage({ ...found, ...shown(), entered, error: errorSentence(thrown) })
    }
  })
}
