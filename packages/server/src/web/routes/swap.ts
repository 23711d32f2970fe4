import { Fault } from '../../domain/error.ts'
import { hasDeposit } from '../../domain/swap.ts'
import { statusOf, toFault } from '../../http/errors.ts'
import type { Invoice } from '../../ports/repository/invoice.ts'
import type { Site } from '../context.ts'
import { sentence } from '../error-text.ts'
import { formOf, idOf } from '../forms.ts'
import { chooseAssetPage, noAssetsPage } from '../pages/swap.ts'

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
    const swap = (await swaps.ofInvoices([invoice])).get(invoice.id)
    return invoice.status === 'pending' && !(swap && hasDeposit(swap.status))
  }

  site.open('GET', '/i/:id/swap', async (request, reply) => {
    const invoice = await invoices.read(idOf(request))
    if (!(await canStartSwap(invoice))) return reply.redirect(`/i/${invoice.publicId}`, 303)
    try {
      return chooseAssetPage({ invoice, assets: await swaps.assets() })
    } catch (error) {
      reply.code(502)
      return noAssetsPage(invoice, sentence(error))
    }
  })

  site.open('POST', '/i/:id/swap', async (request, reply) => {
    const invoice = await invoices.read(idOf(request))
    const { asset_id: assetId = '', refund_to: enteredRefundTo = '' } = formOf(request)
    // Copied addresses often have surrounding spaces.
    const refundTo = enteredRefundTo.trim()
    try {
      await swaps.start(invoice.publicId, { assetId, refundTo })
    } catch (thrown) {
      // The checkout page shows why no swap can be started.
      if (thrown instanceof Fault && thrown.kind === 'conflict') return reply.redirect(`/i/${invoice.publicId}`, 303)
      const error = FIELD_ERRORS.get(toFault(thrown).code) ?? sentence(thrown)
      reply.code(statusOf(toFault(thrown)))
      const assets = await swaps.assets().catch(() => [])
      return assets.length === 0
        ? noAssetsPage(invoice, error)
        : chooseAssetPage({ invoice, assets, assetId, refundTo, error })
    }
    return reply.redirect(`/i/${invoice.publicId}`, 303)
  })
}
