import type { FastifyRequest } from 'fastify'
import { AppError } from '../../../domain/error.ts'
import type { Invoice } from '../../../domain/sale/invoice.ts'
import { addressBegins, refundAddressFault } from '../../../domain/sale/refund-address.ts'
import { hasDeposit } from '../../../domain/sale/swap.ts'
import { chainName } from '../../../domain/sale/swap-asset.ts'
import { withoutMarksAround } from '../../../domain/text.ts'
import { httpStatusOf, toAppError } from '../../../http/error.ts'
import type { SwapAsset } from '../../../ports/swap-provider.ts'
import { invoiceView } from '../../buyer.ts'
import type { Site } from '../../context.ts'
import { errorSentence } from '../../error-text.ts'
import { formFields, idParam, queryFields } from '../../forms.ts'
import { type Html, html } from '../../html.ts'
import { chooseAssetPage, chosenAssetPage, swapUnavailablePage } from '../../pages/sale/swap-choice.ts'
import type { Text } from '../../text/text.ts'

/** The pages where a buyer chooses another asset to pay with, on their own and in a frame. */
export function swapPages(site: Site): void {
  const { publicInvoices, swaps } = site.deps

  /** Whether a swap can be started. If not, the checkout page shows why. */
  async function canStartSwap(invoice: Invoice): Promise<boolean> {
    const swap = (await swaps.currentByInvoice([invoice])).get(invoice.id)
    return (
      invoice.status === 'pending' &&
      invoice.markedAs === null &&
      !invoice.openAmount &&
      !(swap && hasDeposit(swap.status))
    )
  }

  for (const embedded of [false, true]) {
    const path = embedded ? '/i/:id/embed/swap' : '/i/:id/swap'
    const shownFor = (request: FastifyRequest, invoice: Invoice, asset = '') =>
      invoiceView(site.deps, request, invoice, { embedded, swapFields: asset === '' ? {} : { asset } })

    site.publicPage('GET', { path, embedded }, async (request, reply) => {
      const invoice = await publicInvoices.read(idParam(request))
      const { asset: assetId, q: query = '' } = queryFields(request)
      const shown = await shownFor(request, invoice, assetId)
      const { links, text } = shown
      if (!(await canStartSwap(invoice))) return reply.redirect(links.checkout, 303)
      try {
        const assets = await swaps.assets()
        const asset = assets.find(candidate => candidate.assetId === assetId)
        if (asset) return chosenAssetPage({ ...shown, asset })
        const error = assetId === undefined ? undefined : text.say('swap_error_asset')
        return chooseAssetPage({ ...shown, assets, query, error })
      } catch (error) {
        reply.code(502)
        return swapUnavailablePage({ ...shown, error: startError(text, error) })
      }
    })

    site.publicPage('POST', { path, rate: 'swap', embedded }, async (request, reply) => {
      const invoice = await publicInvoices.read(idParam(request))
      const { asset_id: assetId = '', refund_to: enteredRefundTo = '' } = formFields(request)
      const shown = await shownFor(request, invoice, assetId)
      const { links, text } = shown
      // Copied addresses often have spaces or invisible marks around them.
      const refundTo = withoutMarksAround(enteredRefundTo)
      const assets = await swaps.assets().catch(() => [])
      const asset = assets.find(candidate => candidate.assetId === assetId)
      const fieldError = asset && refundToError(text, asset, refundTo)
      if (asset && fieldError) {
        reply.code(400)
        return chosenAssetPage({ ...shown, asset, refundTo, fieldError })
      }
      try {
        const swap = await swaps.start(invoice, { assetId, refundTo })
        // The page keeps showing this swap, whatever else is started with the invoice id.
        return reply.redirect(links.ofSwap(swap.publicId), 303)
      } catch (thrown) {
        // The checkout page shows why no swap can be started.
        if (thrown instanceof AppError && thrown.kind === 'conflict') return reply.redirect(links.checkout, 303)
        const error = startError(text, thrown)
        reply.code(httpStatusOf(toAppError(thrown)))
        if (asset) return chosenAssetPage({ ...shown, asset, refundTo, error })
        return assets.length === 0
          ? swapUnavailablePage({ ...shown, error })
          : chooseAssetPage({ ...shown, assets, error })
      }
    })
  }
}

/** The fault of the refund address. Undefined: none that can be known here. */
function refundToError(text: Text, { blockchain }: SwapAsset, refundTo: string): Html | undefined {
  const chain = chainName(blockchain)
  if (refundTo === '') return text.say('swap_error_empty', { chain })
  const fault = refundAddressFault(blockchain, refundTo)
  if (fault === null) return undefined
  if (fault === 'checksum') return text.say('swap_error_checksum')
  const begins = addressBegins(blockchain)
  if (begins.length === 0) return text.say('swap_error_form', { chain })
  return text.say('swap_error_begins', {
    chain,
    begins: html`<code dir="ltr" class="nowrap">${begins.join(' / ')}</code>`,
  })
}

/** Why a swap was not started. Rethrows internal and unknown errors. */
function startError(text: Text, error: unknown): Html {
  const reason = errorSentence(error)
  switch (toAppError(error).code) {
    case 'unsupported_asset_id':
      return text.say('swap_error_asset')
    case 'too_many_swap_requests':
      return text.say('swap_error_many')
    case 'swap_provider_unavailable':
      return text.say('swap_error_provider')
    default:
      return text.say('swap_error_refused', { reason })
  }
}
