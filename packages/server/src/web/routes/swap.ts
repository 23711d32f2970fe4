import { Fault } from '../../domain/error.ts'
import { hasDeposit } from '../../domain/swap.ts'
import { statusOf, toFault } from '../../http/errors.ts'
import type { Invoice } from '../../ports/repository/invoice.ts'
import { formOf, idOf } from '../forms.ts'
import { chooseAssetPage, noAssetsPage } from '../pages/swap.ts'
import { type Site, sentence } from '../site.ts'

/** What the API says in the names of its fields, as a buyer reads it. */
const WORDS: ReadonlyMap<string, string> = new Map([
  ['refund_to_required', 'Please enter your refund address.'],
  ['unsupported_asset_id', 'Please choose an asset from the list.'],
])

/** Where a buyer chooses another asset to pay in. */
export function swapPages(site: Site): void {
  const { invoices, swaps } = site.deps

  /** Whether another swap may begin; if not, the payment page says why. */
  async function isOpen(invoice: Invoice): Promise<boolean> {
    const swap = (await swaps.ofInvoices([invoice])).get(invoice.id)
    return invoice.status === 'pending' && !(swap && hasDeposit(swap.status))
  }

  site.open('GET', '/i/:id/swap', async (request, reply) => {
    const invoice = await invoices.read(idOf(request))
    if (!(await isOpen(invoice))) return reply.redirect(`/i/${invoice.publicId}`, 303)
    try {
      return chooseAssetPage({ invoice, assets: await swaps.assets() })
    } catch (fault) {
      reply.code(502)
      return noAssetsPage(invoice, sentence(fault))
    }
  })

  site.open('POST', '/i/:id/swap', async (request, reply) => {
    const invoice = await invoices.read(idOf(request))
    const { asset_id: assetId = '', refund_to: given = '' } = formOf(request)
    // People copy addresses with the blanks around them.
    const refundTo = given.trim()
    try {
      await swaps.start(invoice.publicId, { assetId, refundTo })
    } catch (fault) {
      // What stands in the way is for the payment page to show.
      if (fault instanceof Fault && fault.kind === 'conflict') return reply.redirect(`/i/${invoice.publicId}`, 303)
      const error = WORDS.get(toFault(fault).code) ?? sentence(fault)
      reply.code(statusOf(toFault(fault)))
      const assets = await swaps.assets().catch(() => [])
      return assets.length === 0
        ? noAssetsPage(invoice, error)
        : chooseAssetPage({ invoice, assets, assetId, refundTo, error })
    }
    return reply.redirect(`/i/${invoice.publicId}`, 303)
  })
}
