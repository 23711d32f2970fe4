import { type Action, action, fault } from '../../run/part.ts'
import type { Draw } from '../../runtime/draw.ts'
import type { WalletOutput } from '../../world/chain/wallet.ts'
import { pay } from '../../world/payment.ts'
import type { World } from '../../world/world.ts'
import { requestAs } from '../operator/request.ts'
import { type KnownInvoice, type Shop, short } from './shop.ts'

export function saleActions(world: World, shop: Shop): readonly Action[] {
  const { network } = world

  /** An invoice to pay: mostly a recent one. */
  function target(draw: Draw): KnownInvoice | undefined {
    const { invoices } = shop
    if (invoices.length === 0) return undefined
    return draw.chance(0.7) ? invoices.at(-1) : draw.pick(invoices)
  }

  /** Broadcasts a transaction that pays these outputs. */
  function send(draw: Draw, outputs: readonly WalletOutput[], what: string, spends?: string): string | undefined {
    const expiryHeight = draw.weighted([
      [network.height + 40, 4],
      [network.height + draw.int(1, 4), 2],
      [0, 1],
    ])
    const transaction = pay(world, draw, outputs, { expiryHeight, ...(spends !== undefined && { spends }) })
    return transaction ? `${what} in ${short(transaction.txid)}` : undefined
  }

  /** Pays a share of an invoice, in one or more notes. */
  function payShare(name: string, weight: number, share: (draw: Draw, amountZat: bigint) => readonly bigint[]): Action {
    return action(name, weight, draw => {
      const invoice = target(draw)
      if (!invoice) return undefined
      const values = share(draw, invoice.amountZat).filter(value => value > 0n)
      if (values.length === 0) return undefined
      const outputs = values.map(valueZat => ({ address: invoice.address, valueZat }))
      return send(draw, outputs, `a wallet pays ${values.join(' + ')} zat to ${short(invoice.publicId)}`)
    })
  }

  const unmined = () => [...network.mempool.values()]

  return [
    action('create invoice', 8, draw => {
      const merchant = draw.pick(shop.merchants)
      world.client('create invoice', () => shop.requestInvoice(draw, merchant, draw.pick([1, 3])))
      return `${merchant.name} requests an invoice`
    }),
    action('create invoices at once', 2, draw => {
      const merchant = draw.pick(shop.merchants)
      const count = draw.int(2, 6)
      for (let i = 0; i < count; i++)
        world.client('create invoice', () => shop.requestInvoice(draw, merchant, draw.pick([1, 3])))
      return `${merchant.name} requests ${count} invoices at once`
    }),
    {
      name: 'create invoices after a lost commit',
      weight: 1,
      fault: 'an invoice is committed, and the response is lost; more invoices follow',
      async run(draw) {
        const merchant = draw.pick(shop.merchants)
        const requestInvoices = (count: number) => {
          for (let i = 0; i < count; i++)
            world.client('create invoice', () => shop.requestInvoice(draw, merchant, draw.pick([1, 3])))
        }
        world.storeFailures.next = 'unknown'
        world.storeFailures.nextIn = draw.int(0, 2)
        requestInvoices(draw.int(1, 2))
        await world.scheduler.run()
        for (let round = 0; round < 4; round++) {
          requestInvoices(draw.int(1, 3))
          await world.scheduler.run()
        }
        return `${merchant.name} requests invoices, and a commit loses its response`
      },
    },
    payShare('pay in full', 8, (_, amount) => [amount]),
    payShare('pay a part', 4, (draw, amount) => [(amount * BigInt(draw.int(1, 99))) / 100n]),
    payShare('pay too much', 2, (draw, amount) => [amount + BigInt(draw.int(1, 1_000_000))]),
    payShare('pay in several notes', 2, (draw, amount) => {
      const first = (amount * BigInt(draw.int(1, 99))) / 100n
      return [first, amount - first]
    }),
    {
      name: 'pay in very many notes',
      // Only without required confirmations, single payments are read.
      weight: world.setup.confirmations === 0 ? 3 : 0.15,
      run(draw) {
        const invoice = target(draw)
        if (!invoice) return undefined
        const count = draw.pick([draw.int(200, 400), draw.int(1_001, 1_300)])
        const valueZat = invoice.amountZat / BigInt(count) + 1n
        const outputs = Array.from({ length: count }, () => ({ address: invoice.address, valueZat }))
        return send(draw, outputs, `a wallet pays ${count} notes to ${short(invoice.publicId)}`)
      },
    },
    action('pay several invoices', 2, draw => {
      const invoices = shop.invoices.slice(-3)
      if (invoices.length < 2) return undefined
      const outputs = invoices.map(({ address, amountZat }) => ({ address, valueZat: amountZat }))
      return send(draw, outputs, `a wallet pays ${invoices.map(({ publicId }) => short(publicId)).join(' and ')}`)
    }),
    action('spend the same notes again', 2, draw => {
      const candidates = unmined()
      const invoice = target(draw)
      if (candidates.length === 0 || !invoice) return undefined
      const replaced = draw.pick(candidates)
      network.evict(replaced.txid)
      const outputs = [{ address: invoice.address, valueZat: invoice.amountZat }]
      return send(
        draw,
        outputs,
        `a wallet replaces ${short(replaced.txid)} and pays ${short(invoice.publicId)}`,
        replaced.spends,
      )
    }),
    fault('evict from the mempool', 1, 'a transaction leaves the mempool of all nodes', draw => {
      const candidates = unmined()
      if (candidates.length === 0) return undefined
      const { txid } = draw.pick(candidates)
      network.evict(txid)
      return `the nodes evict ${short(txid)}`
    }),
    action('broadcast again', 2, draw => {
      const lost = [...network.transactions.values()].filter(
        ({ txid }) => !network.mempool.has(txid) && network.minedAt(txid) === null,
      )
      if (lost.length === 0) return undefined
      const transaction = draw.pick(lost)
      if (!world.broadcast(transaction)) return undefined
      return `a wallet broadcasts ${short(transaction.txid)} again`
    }),
    action('change confirmations', 1, draw => {
      const merchant = draw.pick(shop.merchants)
      const confirmations = draw.pick([0, 1, 2, 5])
      world.client('change confirmations', () =>
        requestAs(world, draw, merchant, ({ accounts }, account) => accounts.setTerms(account, { confirmations })),
      )
      return `${merchant.name} requires ${confirmations} confirmations`
    }),
    action('change the viewing key', 1, draw => {
      const merchant = draw.pick(shop.merchants)
      const key = draw.chance(0.5)
        ? `${merchant.viewingKeys[0]}-${draw.int(2, 4)}`
        : draw.pick(shop.merchants).viewingKeys[0]!
      world.client('change the viewing key', () =>
        requestAs(world, draw, merchant, ({ viewingKeys }, account) => {
          merchant.viewingKeys.push(key)
          return viewingKeys.set(account, key)
        }),
      )
      return `${merchant.name} sets the viewing key ${key}`
    }),
  ]
}
