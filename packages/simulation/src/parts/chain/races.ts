import type { Action } from '../../run/part.ts'
import { pay } from '../../world/payment.ts'
import type { World } from '../../world/world.ts'
import { short } from '../sale/shop.ts'

/** Processes that write about the same blocks or invoices at the same moment. Only PostgreSQL lets them. */
export function chainRaces(world: World): readonly Action[] {
  const { storeFailures, network, servers, shop } = world
  const mempool = () => [...network.mempool.values()]

  return [
    {
      name: 'a payment overtakes the recording of blocks',
      weight: 3,
      fault: 'a process records a payment while another one records a block with a payment of the same invoice',
      async run(draw) {
        const invoice = shop.invoices.at(-1)
        if (!invoice) return undefined
        const { address, amountZat, publicId } = invoice
        const payPart = () => pay(world, draw, [{ address, valueZat: (amountZat + 1n) / 2n }])
        if (!payPart()) return undefined
        storeFailures.late = { table: 'invoices', count: 1, ms: LATE_MS }
        world.mine()
        await world.runFor(2_500)
        payPart()
        await world.runFor(LATE_MS)
        return `a wallet pays ${short(publicId)} in two parts, the second while a block with the first is recorded`
      },
    },
    {
      name: 'a rewind overtakes the recording of blocks',
      weight: 3,
      fault: 'a process records blocks of a branch that another one has just left, and the branch returns',
      async run(draw) {
        const invoice = shop.invoices.at(-1)
        if (invoice) pay(world, draw, [{ address: invoice.address, valueZat: invoice.amountZat }])
        world.mine()
        await world.runFor(3_000)
        storeFailures.late = { table: 'headers', count: 1, ms: LATE_MS }
        const blocks = draw.int(2, 3)
        for (let i = 0; i < blocks; i++) world.mine([])
        await world.runFor(3_000)
        const depth = Math.min(blocks + draw.int(1, 2), network.height - 1)
        for (const server of servers) server.fork(network.fork(depth, draw.int(0, 1), world.nowSecs), mempool())
        world.observe()
        world.story.tell('world', `all servers leave ${depth} blocks for a while`)
        await world.runFor(LATE_MS)
        for (const server of servers) server.thaw()
        world.observe()
        return `all servers are back on the branch up to ${network.height}`
      },
    },
  ]
}

/** Longer than a sync waits for the next one. */
const LATE_MS = 8_000
