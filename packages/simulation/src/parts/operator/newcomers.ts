import type { Draw } from '../../runtime/draw.ts'
import { pay } from '../../world/payment.ts'
import type { World } from '../../world/world.ts'
import { LONGEST_SECS, type Merchant } from '../sale/shop.ts'
import { request } from './request.ts'

/**
 * Merchants that join around a fail-over. Those from before it are lost with their accounts and viewing keys, and those
 * from after it may get the same row ids.
 */
export class Newcomers {
  readonly #world: World
  #count = 0

  constructor(world: World) {
    this.#world = world
  }

  /** Two merchants open accounts, and each requests invoices, some of which are paid at once. */
  async joinAndSell(draw: Draw): Promise<void> {
    const world = this.#world
    for (let i = 0; i < 2; i++) {
      const merchant = this.#newMerchant()
      world.client('join', () => this.#join(draw, merchant))
    }
    await world.runFor(draw.pick([0, 1, 2, 6]) * 1_000)
  }

  #newMerchant(): Merchant {
    const number = ++this.#count
    return {
      name: `newcomer ${number}`,
      email: `newcomer-${number}@example.org`,
      viewingKeys: [`uview-newcomer-${number}`],
      apiKey: '',
    }
  }

  async #join(draw: Draw, merchant: Merchant): Promise<void> {
    const world = this.#world
    merchant.openedAfter = world.databaseReplacements
    await request(world, draw, async services => {
      const found = await services.accounts.findOrCreate(merchant.email)
      const { account } = await services.viewingKeys.set(found, merchant.viewingKeys[0]!)
      merchant.apiKey = (await services.apiKeys.create(account, 'shop')).key
    })
    for (let i = draw.int(2, 5); i > 0; i--) {
      // It may be lost with its account.
      if (merchant.apiKey === '' || world.databaseReplacements !== merchant.openedAfter) return
      const { length } = world.shop.invoices
      await world.shop.requestInvoice(draw, merchant, 1, { secs: LONGEST_SECS })
      const invoice = world.shop.invoices.slice(length).find(one => one.merchant === merchant)
      if (!invoice || draw.chance(0.5)) continue
      pay(world, draw, [{ address: invoice.address, valueZat: invoice.amountZat }], { expiryHeight: 0 })
    }
  }
}
