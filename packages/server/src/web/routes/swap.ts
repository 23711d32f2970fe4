import { AppError } from '../../domain/error.ts'
import { hasDeposit } from '../../domain/swap.ts'
import { httpStatusOf, toAppError } from '../../http/error.ts'
import type { Invoice } from '../../ports/repository/invoice.ts'
import type { Site } from '../context.ts'
import { errorSentence } from '../error-text.ts'
import { formFields, idParam } from '../forms.ts'
import { chooseAssetPage, swapUnavailablePage } from '../pages/swap.ts'

/** Page texts for API errors that name request fields. */
const FIELD_ERRORS: ReadonlyMap<string, string> = new Map([
  ['refund_to_required', 'Enter your refund address.'],
  ['unsupported_asset_id', 'Choose an asset from the list.'],
])

/** The pages where a buyer chooses another asset to pay with. */
export function swapPages(site: Site): void {
  const { invoices, swaps } = site.deps

  /** Whether a swap can be started. If not, the checkout page shows why. */
  async function canStartSwap(invoice: Invoice): Promise<boolean> {
    const swap = (await swaps.currentByInvoice([invoice])).get(invoice.id)
    return invoice.status === 'pending' && !(swap && hasDeposit(swap.status))
  }

  site.publicPage('GET', '/i/:id/swap', async (request, reply) => {
    const invoice = await invoices.read(idParam(request))
    if (!(await canStartSwap(invoice))) return reply.redirect(`/i/${invoice.publicId}`, 303)
    try {
      return chooseAssetPage({ invoice, assets: await swaps.assets() })
    } catch (error) {
      reply.code(502)
      return swapUnavailablePage(invoice, errorSentence(error))
    }
  })

  site.publicPage('POST', { path: '/i/:id/swap', rate: 'swap' }, async (request, reply) => {
    const invoice = await invoices.read(idParam(request))
    const { asset_id: assetId = '', refund_to: enteredRefundTo = '' } = formFields(request)
    // Copied addresses often have surrounding spaces.
    const refundTo = enteredRefundTo.trim()
    try {
      await swaps.start(invoice.publicId, { assetId, refundTo })
    } catch (thrown) {
      // The checkout page shows why no swap can be started.
      if (thrown instanceof AppError && thrown.kind === 'conflict') return reply.redirect(`/i/${invoice.publicId}`, 303)
      const error = FIELD_ERRORS.get(toAppError(thrown).code) ?? errorSentence(thrown)
      reply.code(httpStatusOf(toAppError(thrown)))
      const assets = await swaps.assets().catch(() => [])
      return assets.length === 0
        ? swapUnavailablePage(invoice, error)
        : chooseAssetPage({ invoice, assets, assetId, refundTo, error })
    }
    return reply.redirect(`/i/${invoice.publicId}`, 303)
  })
}
