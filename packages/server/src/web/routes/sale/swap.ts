import type { FastifyRequest } from 'fastify'
import { AppError } from '../../../domain/error.ts'
import type { Invoice } from '../../../domain/sale/invoice.ts'
import { hasDeposit } from '../../../domain/sale/swap.ts'
import { withoutMarksAround } from '../../../domain/text.ts'
import { httpStatusOf, toAppError } from '../../../http/error.ts'
import { invoiceView } from '../../buyer.ts'
import type { Site } from '../../context.ts'
import { errorSentence } from '../../error-text.ts'
import { formFields, idParam } from '../../forms.ts'
import { chooseAssetPage, swapUnavailablePage } from '../../pages/sale/swap.ts'

/** Page texts for API errors that name request fields. */
const FIELD_ERRORS: ReadonlyMap<AppError['code'], string> = new Map([
  ['refund_to_required', 'Enter your refund address.'],
  ['unsupported_asset_id', 'Choose an asset from the list.'],
])

/** The pages where a buyer chooses another asset to pay with, on their own and in a frame. */
export function swapPages(site: Site): void {
  const { publicInvoices, swaps } = site.deps

  /** Whether a swap can be started. If not, the checkout page shows why. */
  async function canStartSwap(invoice: Invoice): Promise<boolean> {
    const swap = (await swaps.currentByInvoice([invoice])).get(invoice.id)
    return invoice.status === 'pending' && !invoice.openAmount && !(swap && hasDeposit(swap.status))
  }

  for (const embedded of [false, true]) {
    const path = embedded ? '/i/:id/embed/swap' : '/i/:id/swap'
    const shownFor = (request: FastifyRequest, invoice: Invoice) =>
      invoiceView(site.deps, request, invoice, { embedded, isSwap: true })

    site.publicPage('GET', { path, embedded }, async (request, reply) => {
      const invoice = await publicInvoices.read(idParam(request))
      const shown = await shownFor(request, invoice)
      const { links } = shown
      if (!(await canStartSwap(invoice))) return reply.redirect(links.checkout, 303)
      try {
        return chooseAssetPage({ ...shown, assets: await swaps.assets() })
      } catch (error) {
        reply.code(502)
        return swapUnavailablePage(shown, errorSentence(error))
      }
    })

    site.publicPage('POST', { path, rate: 'swap', embedded }, async (request, reply) => {
      const invoice = await publicInvoices.read(idParam(request))
      const shown = await shownFor(request, invoice)
      const { links } = shown
      const { asset_id: assetId = '', refund_to: enteredRefundTo = '' } = formFields(request)
      // Copied addresses often have spaces or invisible marks around them.
      const refundTo = withoutMarksAround(enteredRefundTo)
      try {
        const swap = await swaps.start(invoice, { assetId, refundTo })
        // The page keeps showing this swap, whatever else is started with the invoice id.
        return reply.redirect(links.ofSwap(swap.publicId), 303)
      } catch (thrown) {
        // The checkout page shows why no swap can be started.
        if (thrown instanceof AppError && thrown.kind === 'conflict') return reply.redirect(links.checkout, 303)
        const error = FIELD_ERRORS.get(toAppError(thrown).code) ?? errorSentence(thrown)
        reply.code(httpStatusOf(toAppError(thrown)))
        const assets = await swaps.assets().catch(() => [])
        return assets.length === 0
          ? swapUnavailablePage(shown, error)
          : chooseAssetPage({ ...shown, assets, assetId, refundTo, error })
      }
    })
  }
}
