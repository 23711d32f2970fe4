import { type Action, action } from '../../run/part.ts'
import { pay } from '../../world/payment.ts'
import type { World } from '../../world/world.ts'
import { request, requestAs } from '../operator/request.ts'
import { type Shop, short } from './shop.ts'
import { checkMetadata, drawTerms, drawTolerance, plainTerms } from './terms.ts'

/** Merchants that price in money, tolerate, take open amounts and add metadata, and buyers who pay at the limit. */
export function termsActions(world: World, shop: Shop): readonly Action[] {
  return [
    action('create an invoice with terms', 5, draw => {
      const merchant = draw.pick(shop.merchants)
      const terms = drawTerms(draw)
      world.client('create invoice', () => shop.requestInvoice(draw, merchant, draw.pick([1, 3, 3]), { terms }))
      return `${merchant.name} requests an invoice with terms`
    }),
    action('create invoices with and without terms at once', 1, draw => {
      const merchant = draw.pick(shop.merchants)
      const count = draw.int(2, 5)
      for (let i = 0; i < count; i++) {
        const options = draw.chance(0.5) ? { terms: drawTerms(draw) } : {}
        world.client('create invoice', () => shop.requestInvoice(draw, merchant, draw.pick([1, 3]), options))
      }
      return `${merchant.name} requests ${count} invoices with and without terms at once`
    }),
    action('pay as little as is tolerated', 3, async draw => {
      const terms = { ...plainTerms(draw), toleranceBps: drawTolerance(draw) }
      world.client('create invoice', () => shop.requestInvoice(draw, draw.pick(shop.merchants), 3, { terms }))
      await world.scheduler.run()
      const invoice = shop.invoices.findLast(({ toleranceBps }) => toleranceBps > 0)
      if (!invoice) return undefined
      const { address, amountZat, toleranceBps, publicId } = invoice
      const tolerated = (amountZat * BigInt(toleranceBps)) / 10_000n
      const valueZat = amountZat - tolerated + BigInt(draw.pick([-1, -1, 0, 1]))
      if (!pay(world, draw, [{ address, valueZat }])) return undefined
      return `a wallet pays ${valueZat} of ${amountZat} zat to ${short(publicId)}, which tolerates ${tolerated}`
    }),
    action('change the tolerance', 0.5, draw => {
      const merchant = draw.pick(shop.merchants)
      const toleranceBps = draw.pick([0, 10, 500])
      world.client('change the tolerance', () =>
        requestAs(world, draw, merchant, ({ accounts }, account) => {
          shop.tolerances(merchant).add(toleranceBps)
          return accounts.setTerms(account, { toleranceBps })
        }),
      )
      return `${merchant.name} tolerates that ${toleranceBps} bps are missing`
    }),
    action('read an invoice', 1.5, draw => {
      const known = draw.pick([...shop.invoices.slice(-3), null])
      // The metadata of a merchant that has left are erased.
      if (!known || !shop.merchants.includes(known.merchant)) return undefined
      world.client('read an invoice', async () => {
        const invoice = await request(world, draw, ({ invoices }) => invoices.read(known.publicId))
        if (!invoice) return
        shop.shown(invoice)
        checkMetadata(world, invoice, JSON.parse(known.terms).at(-1) ?? undefined)
      })
      return `${known.merchant.name} reads ${short(known.publicId)}`
    }),
  ]
}
