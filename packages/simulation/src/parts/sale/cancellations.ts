import type { Invoice } from '@zatgate/server/domain/sale/invoice'
import { type Action, action } from '../../run/part.ts'
import type { Draw } from '../../runtime/draw.ts'
import { pay } from '../../world/payment.ts'
import type { World } from '../../world/world.ts'
import { requestAs } from '../operator/request.ts'
import { type KnownInvoice, type Merchant, type Shop, short } from './shop.ts'

/** Merchants that cancel invoices, by mistake those of others too. */
export function cancellations(world: World, shop: Shop): readonly Action[] {
  /** An invoice to cancel: mostly the newest, of any status. */
  function target(draw: Draw): KnownInvoice | undefined {
    const own = shop.invoices.filter(({ merchant }) => shop.merchants.includes(merchant))
    if (own.length === 0) return undefined
    return draw.chance(0.7) ? own.at(-1) : draw.pick(own)
  }

  async function cancel(draw: Draw, by: Merchant, { publicId, merchant }: KnownInvoice): Promise<void> {
    const { databaseReplacements } = world
    const canceled = await requestAs(world, draw, by, (services, account) =>
      services.cancellations.cancel(account, publicId),
    )
    if (!canceled) return
    if (by !== merchant) world.fail('an invoice is canceled by its own account', `${by.name}: ${short(publicId)}`)
    if (databaseReplacements === world.databaseReplacements) checkAnswered(world, canceled)
  }

  function ofInvoice(
    name: string,
    weight: number,
    run: (draw: Draw, invoice: KnownInvoice) => string | undefined | Promise<string | undefined>,
    description?: string,
  ): Action {
    const runWith = async (draw: Draw) => {
      const invoice = target(draw)
      const told = invoice && (await run(draw, invoice))
      return told === undefined ? undefined : `${told} ${short(invoice!.publicId)}`
    }
    return action(name, weight, runWith, description)
  }

  function start(draw: Draw, by: Merchant, invoice: KnownInvoice): void {
    world.client('cancel an invoice', () => cancel(draw, by, invoice))
  }

  return [
    ofInvoice('cancel an invoice', 2, (draw, invoice) => {
      const count = draw.weighted([
        [1, 3],
        [2, 1],
      ])
      for (let i = 0; i < count; i++) start(draw, invoice.merchant, invoice)
      return `${invoice.merchant.name} cancels, ${count === 1 ? 'once' : 'twice at once'},`
    }),
    ofInvoice('cancel an invoice while it is paid', 2, (draw, invoice) => {
      const { address, amountZat, merchant } = invoice
      const valueZat = draw.pick([amountZat, (amountZat + 1n) / 2n])
      const isPaidFirst = draw.chance(0.5)
      if (!isPaidFirst) start(draw, merchant, invoice)
      if (!pay(world, draw, [{ address, valueZat }])) return undefined
      world.observe()
      // The service may record the payment between the beginning and the end of the cancellation.
      for (const server of world.servers) server.readByOthers()
      if (isPaidFirst) start(draw, merchant, invoice)
      return `a wallet pays ${valueZat} zat while ${merchant.name} cancels`
    }),
    ofInvoice(
      'cancel an invoice, and lose the response',
      1.5,
      (draw, invoice) => {
        world.storeFailures.lostCommitTo = 'invoices'
        for (let i = 0; i < 2; i++) start(draw, invoice.merchant, invoice)
        return `${invoice.merchant.name} cancels, with a lost commit,`
      },
      'an invoice is canceled, and the response is lost; the merchant cancels again',
    ),
    ofInvoice(
      'cancel an invoice in a process that dies',
      1.5,
      async (draw, invoice) => {
        start(draw, invoice.merchant, invoice)
        await world.scheduler.run(draw.int(1, 20))
        world.restart(draw.int(0, world.processes.length - 1))
        await world.scheduler.run()
        start(draw, invoice.merchant, invoice)
        return `${invoice.merchant.name} cancels, a process dies, and the merchant cancels again:`
      },
      'a process dies while an invoice is canceled; the merchant cancels again',
    ),
    ofInvoice('cancel the invoice of another account', 0.5, (draw, invoice) => {
      const other = shop.merchants.find(merchant => merchant !== invoice.merchant)
      if (!other) return undefined
      start(draw, other, invoice)
      return `${other.name} cancels the foreign`
    }),
  ]
}

/** A cancellation that was answered is committed. */
function checkAnswered(world: World, { publicId, canceledAt }: Invoice): void {
  const [row] = world.database.committed<{ at: bigint | null }>(
    'SELECT canceled_at AS at FROM invoices WHERE public_id = ?',
    publicId,
  )
  if (row && (row.at === null || Number(row.at) !== canceledAt))
    world.fail('an answered request is committed', `the cancellation of ${short(publicId)}`)
}
