import type { Invoice } from '../../../domain/sale/invoice.ts'
import { MAX_REFUND_TO_CHARS } from '../../../domain/sale/swap.ts'
import { chainName, estimateIn } from '../../../domain/sale/swap-asset.ts'
import type { SwapAsset } from '../../../ports/swap-provider.ts'
import { type BuyerView, buyerPage } from '../../components/buyer/buyer-page.ts'
import { orderOf, sum, sumOf } from '../../components/buyer/sum.ts'
import { field } from '../../components/form.ts'
import type { CheckoutLinks } from '../../components/sale/checkout-links.ts'
import { assetList, coin } from '../../components/sale/swap-list.ts'
import { costOf } from '../../components/sale/swap-state.ts'
import { waysToPay } from '../../components/sale/swap-ways.ts'
import { type Child, type Html, html } from '../../html.ts'
import type { Text } from '../../text/text.ts'

interface SwapChoiceView extends BuyerView {
  readonly invoice: Invoice
  readonly links: CheckoutLinks
  /** About no field in particular. */
  readonly error?: Child
}

interface ChooseAssetView extends SwapChoiceView {
  readonly assets: readonly SwapAsset[]
  /** The buyer's search text. */
  readonly query?: string
}

interface ChosenAssetView extends SwapChoiceView {
  readonly asset: SwapAsset
  /** As it was entered. */
  readonly refundTo?: string
  /** The fault of the refund address. */
  readonly fieldError?: Child
}

/** The first step: the assets, and what the invoice costs in each. It works without JavaScript. */
export function chooseAssetPage(view: ChooseAssetView): Html {
  const { text, invoice, links, assets, query = '' } = view
  const { amountZat } = invoice
  return choicePage(
    view,
    'choose.js',
    html`${orderOf(text, invoice)}${sumOf(text, invoice)}${waysToPay(text, links, 'other')}
      <h1>${text.say('swap_title')}</h1>
      ${partPaidNote(text, invoice)}${alert(view.error)}
      ${assetList(text, { assets, query, amountZat, links })}`,
  )
}

/** The second step: what it costs, and where a deposit goes back to. */
export function chosenAssetPage(view: ChosenAssetView): Html {
  const { text, invoice, links, asset, refundTo = '', fieldError } = view
  const { symbol, blockchain, assetId } = asset
  const estimate = estimateIn(asset, invoice.amountZat)
  const names = { asset: symbol, chain: chainName(blockchain) }
  const beside = text.say('swap_for', { chain: names.chain, price: costOf(text, invoice) })
  const cost = estimate === null ? symbol : `≈ ${text.money(estimate, symbol)}`
  return choicePage(
    view,
    undefined,
    html`${orderOf(text, invoice)}
      <h1 class="chosen">${coin(symbol)}<span>${text.say('swap_on', names)}</span></h1>
      ${sum(cost, beside)}
      <p class="hint center">${text.say('swap_estimate')}</p>
      ${partPaidNote(text, invoice)}${alert(view.error)}
      <form method="post" action="${links.swap}"><input type="hidden" name="asset_id" value="${assetId}">
        ${field({
          name: 'refund_to',
          label: text.say('swap_refund_label'),
          value: refundTo,
          maxlength: MAX_REFUND_TO_CHARS,
          hint: text.say('swap_refund_hint', names),
          ...(fieldError !== undefined && { error: fieldError }),
          attributes: html` autocomplete="off" autocapitalize="none" spellcheck="false"${fieldError !== undefined && html` aria-invalid="true"`}`,
        })}
        <button class="primary full">${text.say('swap_continue')}</button>
      </form>
      <p class="center other-ways"><a href="${links.swap}">${text.say('swap_other')}</a> <a href="${links.checkoutInZec}">${text.say('swap_to_zcash')}</a></p>`,
  )
}

/** Shown while the list of assets cannot be read. */
export function swapUnavailablePage(view: SwapChoiceView): Html {
  const { text, links } = view
  return choicePage(
    view,
    undefined,
    html`<h1>${text.say('swap_title')}</h1>${alert(view.error)}
      <p><a class="button full" href="${links.checkoutInZec}">${text.say('swap_to_zcash')}</a></p>`,
  )
}

function choicePage(view: SwapChoiceView, script: 'choose.js' | undefined, body: Html): Html {
  const { text, invoice } = view
  const title = `${text.plain('swap_title')}: ${costOf(text, invoice)}`
  return buyerPage(view, { invoiceId: invoice.publicId, title, ...(script && { script }), body })
}

function alert(error: Child): Html | false {
  return error !== undefined && html`<p class="error" role="alert">${error}</p>`
}

/** A swap always delivers the whole amount: a quote for the rest could be outdated by the next payment. */
function partPaidNote(text: Text, { amountZat, receivedZat, dueZat }: Invoice): Html | false {
  if (receivedZat === 0n || dueZat === 0n) return false
  const values = { received: text.zec(receivedZat), whole: text.zec(amountZat) }
  return html`<p class="card attention">${text.say('swap_part_paid', values)}</p>`
}
