import { type Action, action, fault } from '../../run/part.ts'
import type { Draw } from '../../runtime/draw.ts'
import { addressAt } from '../../world/chain/note-scanner.ts'
import { passTime } from '../../world/passage.ts'
import { type PaymentOptions, pay } from '../../world/payment.ts'
import type { World } from '../../world/world.ts'
import { type KnownInvoice, SHORTEST_SECS, type Shop, short } from './shop.ts'

/** Payments that meet a fault at the same moment: two random steps rarely do. */
export function hardPayments(world: World, shop: Shop): readonly Action[] {
  const { network, servers, storeFailures } = world

  /** A recent invoice without a payment, which runs at least this long. */
  function unpaid(secs: number): KnownInvoice | undefined {
    const notes = [...network.transactions.values()].flatMap(transaction => transaction.notes)
    const paid = new Set(notes.map(({ viewingKey, diversifierIndex }) => addressAt(viewingKey, diversifierIndex)))
    return shop.invoices.findLast(({ address, expiresAt }) => !paid.has(address) && expiresAt >= world.nowSecs + secs)
  }

  /** An invoice without a payment, some seconds before it expires. */
  async function expiring(draw: Draw, secs: number): Promise<KnownInvoice | undefined> {
    const expiresSoon = () => {
      const invoice = unpaid(10)
      return invoice && invoice.expiresAt <= world.nowSecs + 2_000 ? invoice : undefined
    }
    let invoice = expiresSoon()
    if (!invoice) {
      world.client('create invoice', () =>
        shop.requestInvoice(draw, draw.pick(shop.merchants), 3, { secs: SHORTEST_SECS }),
      )
      await world.scheduler.run()
      invoice = expiresSoon()
    }
    if (!invoice) return undefined
    await passTime(world, invoice.expiresAt - world.nowSecs - secs, draw)
    // The service reads the mempool again and again meanwhile.
    await world.scheduler.run()
    return invoice
  }

  function payAll(draw: Draw, { address, amountZat }: KnownInvoice, options?: PaymentOptions) {
    return pay(world, draw, [{ address, valueZat: amountZat }], options)
  }

  return [
    action('pay in the last second', 1.5, async draw => {
      const invoice = await expiring(draw, 3)
      if (!invoice) return undefined
      const { scheduler } = world
      const leadMs = draw.int(50, 1_900)
      await scheduler.advanceByTimers(invoice.expiresAt * 1000 - leadMs - scheduler.nowMs, MAX_STOPS)
      await scheduler.run()
      for (const server of servers) server.readByOthers()
      if (!payAll(draw, invoice, { streamed: draw.chance(0.5) })) return undefined
      world.observe()
      world.story.tell('world', `a wallet pays ${short(invoice.publicId)} ${leadMs} ms before it expires`)
      await scheduler.advanceByTimers(leadMs + 2_000, MAX_STOPS)
      return `${short(invoice.publicId)} has expired`
    }),
    {
      name: 'a payment moves between two readings',
      weight: 3,
      fault: 'a payment goes from the mempool into a block while the service reads both, and back before the next sync',
      async run(draw) {
        if (world.processes.length > 1) return undefined
        const invoice = await expiring(draw, 4)
        if (!invoice) return undefined
        const { scheduler } = world
        const payment = payAll(draw, invoice, { streamed: false })
        if (!payment) return undefined
        const { txid } = payment
        world.observe()
        const goBack = () => {
          if (network.minedAt(txid) === network.height) network.removeBlocks(1, () => true)
          world.observe()
        }
        const mine = () => {
          const transaction = network.mempool.get(txid)
          if (!transaction) return
          // The block is gone again before the servers end their streams because of it.
          network.mine(world.nowSecs, [transaction])
          world.observe()
          scheduler.startTimer(READING_MS, goBack)
        }
        for (const server of servers) server.onTipServed = mine
        await scheduler.advanceByTimers(UNTIL_EXPIRED_MS, 10 * MAX_STOPS)
        await scheduler.run()
        for (const server of servers) server.onTipServed = null
        world.mine()
        return `the payment of ${short(invoice.publicId)} was never in the same place for long`
      },
    },
    fault('pay while the next commits fail', 3, 'a commit fails right after a payment was broadcast', async draw => {
      const invoice = draw.chance(0.5) ? await expiring(draw, 4) : unpaid(1)
      if (!invoice || !payAll(draw, invoice)) return undefined
      storeFailures.next = 'commit'
      storeFailures.nextIn = draw.int(0, 3)
      if (invoice.expiresAt < world.nowSecs + 10)
        await passTime(world, UNTIL_EXPIRED_MS / 1000, draw, { stops: 10 * MAX_STOPS, mines: false })
      return `a wallet pays ${short(invoice.publicId)}, and a commit will fail`
    }),
    {
      name: 'pay in two parts, of which the first is evicted',
      // Only without required confirmations, a payment in the mempool pays.
      weight: world.setup.confirmations === 0 ? 10 : 1,
      fault: 'a part payment leaves the mempool before the rest is paid',
      async run(draw) {
        const invoice = unpaid(60)
        if (!invoice || invoice.amountZat < 2n) return undefined
        const { address, amountZat } = invoice
        const partZat = (amountZat * BigInt(draw.int(1, 99))) / 100n || 1n
        const part = pay(world, draw, [{ address, valueZat: partZat }])
        if (!part) return undefined
        world.observe()
        await passTime(world, draw.int(1, 8), draw, { stops: 4, mines: false })
        network.evict(part.txid)
        world.observe()
        world.story.tell('world', `the nodes evict ${short(part.txid)}, a part of ${short(invoice.publicId)}`)
        await passTime(world, draw.int(1, 60), draw, { stops: 4, mines: false })
        const rest = pay(world, draw, [{ address, valueZat: amountZat - partZat }])
        return rest ? `a wallet pays the rest of ${short(invoice.publicId)}` : undefined
      },
    },
    {
      name: 'a payment leaves the mempool while a clock is ahead',
      // On a regtest no block refutes the clock.
      weight: world.setup.network === 'regtest' ? 10 : 2,
      fault: 'a payment vanishes while a clock is ahead',
      async run(draw) {
        const invoice = unpaid(60)
        const payment = invoice && payAll(draw, invoice, { expiryHeight: 0 })
        if (!invoice || !payment) return undefined
        await passTime(world, draw.int(3, 8), draw, { stops: MAX_STOPS, mines: false })
        const process = draw.pick(world.processes)
        world.setClockError(process, draw.pick([1, 5, 24, 24 * 7]) * 3_600_000)
        network.evict(payment.txid)
        world.observe()
        world.story.tell('world', `the nodes evict ${short(payment.txid)}; the clock of ${process.name} is ahead`)
        await passTime(world, draw.int(5, 20), draw, { stops: MAX_STOPS, mines: false })
        world.setClockError(process, 0)
        return `the clock of ${process.name} is right again`
      },
    },
    {
      name: 'a late part payment comes and goes',
      weight: 1,
      fault: 'a late part payment is reorganised away, and mined again later',
      async run(draw) {
        const invoice = await expiring(draw, -30)
        if (!invoice || invoice.amountZat < 2n) return undefined
        const { address, amountZat, publicId } = invoice
        const valueZat = (amountZat * BigInt(draw.int(1, 99))) / 100n || 1n
        const part = pay(world, draw, [{ address, valueZat }], { expiryHeight: 0 })
        if (!part) return undefined
        world.mine()
        await passTime(world, 10, draw, { stops: 4, mines: false })
        network.removeBlocks(1, ({ txid }) => txid !== part.txid)
        for (let blocks = 0; blocks < 2; blocks++) world.mine()
        world.story.tell('world', `a part of ${short(publicId)} is reorganised away`)
        // Often enough for the service to prove that the part is absent all the time.
        for (let readings = 1; readings <= 9; readings++) {
          await passTime(world, 20, draw, { stops: 2, mines: false })
          if (readings % 3 === 0) world.mine()
        }
        if (!world.broadcast(part)) return undefined
        world.mine()
        return `the part of ${short(publicId)} is mined again`
      },
    },
    {
      name: 'pay right before an outage of days',
      weight: 0.4,
      fault: 'the machine stands still for days right after a payment',
      run(draw) {
        const invoice = unpaid(1)
        if (!invoice || !payAll(draw, invoice)) return undefined
        world.mine()
        const days = draw.int(2, 12)
        world.scheduler.advance(days * 86_400_000)
        world.mine()
        return `a wallet pays ${short(invoice.publicId)}, and ${days} days pass`
      },
    },
    fault('pay what a server leaves out', 1, 'a server hides a new payment, in its mempool and in its blocks', draw => {
      const invoice = unpaid(1)
      const transaction = invoice && payAll(draw, invoice)
      if (!invoice || !transaction) return undefined
      const server = draw.pick(servers)
      server.hidden.add(transaction.txid)
      server.omitted.add(transaction.txid)
      if (draw.chance(0.7)) world.mine()
      return `${server.name} leaves out the payment of ${short(invoice.publicId)}`
    }),
  ]
}

/** A sync has ended by then, and the next one has not begun. */
const READING_MS = 200

/** From some seconds before an invoice expires: a payment that is not seen until then is not waited for. */
const UNTIL_EXPIRED_MS = 22_000

/** Timers of the service within the seconds before and after a payment. */
const MAX_STOPS = 10
