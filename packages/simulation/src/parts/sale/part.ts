import type { PartFactory } from '../../run/part.ts'
import { passTime } from '../../world/passage.ts'
import { saleActions } from './actions.ts'
import { cancellations } from './cancellations.ts'
import { cachedRates, rateActions } from './exchange-rates.ts'
import { hardPayments } from './hard-payments.ts'
import { SaleJudge } from './judge.ts'
import { repeatActions } from './repeats.ts'
import { LONGEST_SECS, Shop } from './shop.ts'
import { SALE_TRANSITIONS } from './steps.ts'
import { termsActions } from './terms-actions.ts'
import { checkDailyTotals } from './totals-judge.ts'

/** Merchants, their invoices, and the wallets that pay them. */
export const salePart: PartFactory = {
  name: 'sale',
  probability: 1,
  create(world) {
    const shop = new Shop(world)
    const judge = new SaleJudge(world)
    world.shop = shop
    return {
      actions: [
        ...saleActions(world, shop),
        ...hardPayments(world, shop),
        ...repeatActions(world, shop),
        ...termsActions(world, shop),
        ...cancellations(world, shop),
        ...rateActions(world),
      ],
      ports: process => cachedRates(world, process),
      heal: () => world.rates.heal(),
      transitions: SALE_TRANSITIONS,
      // Poisoned rows need a merchant who must notice nothing of them.
      setUp: () => shop.openAccounts(world.setup.merchants + (world.setup.parts.includes('poison') ? 1 : 0)),
      async beforeFailOver(draw) {
        for (const merchant of shop.merchants)
          world.client('create invoices', async () => {
            for (let i = 0; i < 2 * world.running.length; i++)
              await shop.requestInvoice(draw, merchant, 1, { secs: LONGEST_SECS })
          })
        await passTime(world, 1, draw, { stops: 4, mines: false })
      },
      onCommit() {
        judge.check()
        checkDailyTotals(world)
      },
      onLog: (details, message) => judge.reasons.noteLog(details, message),
      unreported: () => judge.unreported(),
      unsettled: () => judge.unsettled(),
    }
  },
}
