import { type Action, action, fault } from '../../run/part.ts'
import type { Draw } from '../../runtime/draw.ts'
import { NO_FAULTS, type ProviderFaults } from '../../world/swap-provider/faults.ts'
import type { SwapProviderServer } from '../../world/swap-provider/provider.ts'
import { TAMPERINGS } from '../../world/swap-provider/quote.ts'
import type { World } from '../../world/world.ts'
import { type KnownInvoice, short } from '../sale/shop.ts'
import type { Buyers } from './buyers.ts'
import type { OrderLives } from './order-life.ts'

/** Buyers who start swaps. */
export function buyerActions(world: World, buyers: Buyers): readonly Action[] {
  /** An invoice to swap for: mostly the newest, of any status. */
  function target(draw: Draw): KnownInvoice | undefined {
    const { invoices } = world.shop
    if (invoices.length === 0 || world.running.length === 0) return undefined
    return draw.chance(0.8) ? invoices.at(-1) : draw.pick(invoices)
  }

  return [
    action('order and start a swap', 18, draw => {
      if (world.running.length === 0) return undefined
      buyers.order(draw)
      return 'a buyer orders and requests a swap'
    }),
    action('start a swap', 10, draw => {
      const invoice = target(draw)
      if (!invoice) return undefined
      buyers.start(draw, invoice, draw.pick(world.running))
      return `a buyer requests a swap for invoice ${short(invoice.publicId)}`
    }),
    fault('a stored quote is not answered', 1, 'a quote is stored, and the process does not learn it', draw => {
      if (world.running.length === 0) return undefined
      world.storeFailures.lostCommitTo = 'swaps'
      buyers.order(draw)
      return 'a buyer requests a swap, whose commit will lose its response'
    }),
    action('start swaps at once', 5, draw => {
      const invoice = target(draw)
      if (!invoice) return undefined
      const count = draw.int(3, 9)
      for (let i = 0; i < count; i++) buyers.start(draw, invoice, draw.pick(world.running))
      return `buyers request ${count} swaps for invoice ${short(invoice.publicId)} at once`
    }),
  ]
}

/** Faults of the provider, each until it recovers. */
export function providerActions(parts: {
  readonly world: World
  readonly provider: SwapProviderServer
  readonly buyers: Buyers
  readonly lives: OrderLives
}): readonly Action[] {
  const { world, provider, buyers, lives } = parts

  function providerFault(
    name: string,
    description: string,
    set: (faults: ProviderFaults, draw: Draw) => void,
    weight = 1,
  ): Action {
    return fault(name, weight, description, draw => {
      set(provider.faults, draw)
      return name
    })
  }

  /** A fault of quotes, which the next buyer meets at once. */
  function quoteFault(name: string, description: string, set: (faults: ProviderFaults, draw: Draw) => string): Action {
    return fault(name, 1.5, description, draw => {
      const told = set(provider.faults, draw)
      if (world.running.length > 0) buyers.order(draw)
      return `${told}, and a buyer orders`
    })
  }

  return [
    action('swap provider recovers', 5, () => {
      Object.assign(provider.faults, NO_FAULTS)
      return 'the swap provider recovers'
    }),
    action('swap provider refuses', 1, () => {
      provider.faults.refuses = true
      return 'the swap provider refuses all quotes'
    }),
    providerFault('swap provider is down', 'the swap provider cannot be reached', faults => {
      faults.down = true
    }),
    providerFault('swap provider hangs', 'the swap provider does not respond', faults => {
      faults.hangs = true
    }),
    providerFault('swap provider is slow', 'the swap provider takes seconds to respond', (faults, draw) => {
      faults.slowMs = draw.pick([2_000, 4_500, 20_000])
    }),
    providerFault(
      'swap provider fails now and then',
      'the swap provider sends errors and unreadable pages',
      (faults, draw) => {
        faults.failureRate = draw.pick([0.1, 0.5, 1])
      },
    ),
    quoteFault('swap provider loses quotes', 'a quote is made, and its response is lost', (faults, draw) => {
      faults.lossRate = draw.pick([0.3, 1])
      return 'the swap provider loses quotes'
    }),
    quoteFault('swap provider tampers', 'the terms or the signature of quotes are wrong', (faults, draw) => {
      faults.tampering = draw.pick(TAMPERINGS)
      return `the swap provider changes quotes: ${faults.tampering}`
    }),
    quoteFault('swap provider replays', 'the swap provider sends an old quote again', faults => {
      faults.replays = true
      return 'the swap provider sends old quotes'
    }),
    providerFault(
      'swap provider is stale',
      'a status is an earlier one',
      (faults, draw) => {
        faults.staleRate = draw.pick([0.3, 0.8])
      },
      2,
    ),
    {
      name: 'swap provider is silent at an expiry',
      weight: 4,
      fault: 'the swap provider does not answer when an invoice expires',
      run(draw) {
        if (world.running.length === 0) return undefined
        lives.silenceAtNextExpiry()
        buyers.order(draw)
        return 'a buyer orders a swap whose provider will be silent at the expiry'
      },
    },
    providerFault(
      'swap provider mixes up orders',
      'a status is that of another order',
      (faults, draw) => {
        faults.foreignRate = draw.pick([0.3, 0.8])
      },
      2,
    ),
    providerFault(
      'swap provider dates reports ahead',
      'a status is dated years ahead',
      (faults, draw) => {
        faults.aheadRate = draw.pick([0.3, 0.8])
      },
      2,
    ),
    providerFault('swap provider indexes late', 'the swap provider does not know a new order yet', (faults, draw) => {
      faults.unindexedMs = draw.pick([10_000, 300_000])
    }),
  ]
}
