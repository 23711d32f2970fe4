import { type Action, action, fault, type PartFactory } from '../../run/part.ts'
import type { Draw } from '../../runtime/draw.ts'
import type { ChainServer } from '../../world/chain/chain-server.ts'
import { passTime } from '../../world/passage.ts'
import { pay } from '../../world/payment.ts'
import type { World } from '../../world/world.ts'
import { short } from '../sale/shop.ts'
import { ChainAcceptance } from './acceptance.ts'
import { Agreement } from './agreement.ts'
import { chainRaces } from './races.ts'
import { reorganise } from './reorganisation.ts'
import { secondServerActions } from './second-server.ts'

/** Blocks, reorganisations, and the faults of the chain servers. */
export const chainPart: PartFactory = {
  name: 'chain',
  probability: 1,
  create(world) {
    const canRace = world.setup.database === 'postgres' && world.setup.processes > 1
    const agreement = new Agreement(world)
    const actions = [
      ...blockActions(world),
      ...serverActions(world),
      ...agreement.actions,
      ...secondServerActions(world),
      ...(canRace ? chainRaces(world) : []),
    ]
    const judge = { onCommit: () => agreement.check(), unsettled: () => agreement.unsettled() }
    if (world.setup.height <= 1_000) return { actions, ...judge }
    const acceptance = new ChainAcceptance(world)
    return {
      actions: [...actions, deepReorganisation(world), ...acceptance.actions],
      ...judge,
      unsettled: () => judge.unsettled() ?? acceptance.unsettled(),
    }
  },
}

function blockActions(world: World): readonly Action[] {
  const { network } = world
  const mempool = () => [...network.mempool.keys()]
  // An order for a payout is judged by the times of its blocks.
  const isAnyTimeAllowed = world.setup.network === 'regtest' && !world.setup.parts.includes('withdrawal')
  return [
    ...(isAnyTimeAllowed ? timesOfRegtest(world) : []),
    action('mine', 8, () => {
      world.mine()
      return `block ${network.height} is mined, with ${network.tip.transactions.length} transactions`
    }),
    action('mine some transactions', 2, draw => {
      world.mine(mempool().filter(() => draw.chance(0.5)))
      return `block ${network.height} is mined, with ${network.tip.transactions.length} transactions`
    }),
    action('mine several blocks', 3, draw => {
      const count = draw.int(2, 12)
      for (let i = 0; i < count; i++) world.mine()
      return `${count} blocks are mined, up to ${network.height}`
    }),
    fault('mine with a wrong time', 1, 'a miner dates a block wrong: up to 15 minutes, on a regtest years', draw => {
      const errorSecs = draw.int(-900, 900) + (isAnyTimeAllowed ? draw.pick([0, 10, -15]) * YEAR_SECS : 0)
      world.mine(undefined, errorSecs)
      return `block ${network.height} is mined, dated ${errorSecs} s off`
    }),
    {
      name: 'short reorganisation',
      weight: 3,
      fault: 'a reorganisation of 1 to 5 blocks',
      run: draw => reorganise(world, draw, draw.int(1, 5)),
    },
    fault('reorganisation', 1, 'a reorganisation of 6 to 25 blocks', draw => reorganise(world, draw, draw.int(6, 25))),
    fault('reorganisation without a longer chain', 1, 'the chain gets shorter for a while', draw => {
      const depth = Math.min(draw.int(1, 4), network.height - 1)
      network.removeBlocks(depth, () => draw.chance(0.8))
      world.observe()
      return `the ${depth} newest blocks are removed; the chain ends at ${network.height}`
    }),
  ]
}

const YEAR_SECS = 365 * 86_400

/** On a regtest nothing tells that a block or a clock is years ahead. */
function timesOfRegtest(world: World): readonly Action[] {
  const { network, processes } = world
  return [
    fault('pay into a block of the future', 4, 'a payment is first seen in a block that is dated years ahead', draw => {
      const invoice = world.shop.invoices.at(-1)
      if (!invoice) return undefined
      const payment = pay(world, draw, [{ address: invoice.address, valueZat: invoice.amountZat }])
      if (!payment) return undefined
      world.mine([payment.txid], draw.int(1, 10) * YEAR_SECS)
      return `a wallet pays ${short(invoice.publicId)} in block ${network.height}, dated years ahead`
    }),
    {
      name: 'a clock is ahead for a while',
      weight: 3,
      fault: 'a clock is days ahead, and corrected after the next syncs',
      async run(draw) {
        const process = draw.pick(processes)
        world.setClockError(process, draw.int(1, 7) * 86_400_000)
        await passTime(world, draw.int(10, 30), draw, { stops: 20, mines: false })
        world.setClockError(process, 0)
        return `the clock of ${process.name} was days ahead for a while`
      },
    },
  ]
}

/** Not deeper than the recorded blocks, which the service follows by itself. */
function deepReorganisation(world: World): Action {
  return {
    name: 'deep reorganisation',
    weight: 8,
    fault: 'a reorganisation of 26 to 1,000 blocks',
    run: draw => reorganise(world, draw, draw.int(26, 1_000)),
  }
}

function serverActions(world: World): readonly Action[] {
  const { network, servers } = world

  /** A fault of one server, which ends by itself when the action is drawn again. */
  function serverFault(
    name: string,
    description: string,
    set: (server: ChainServer, draw: Draw) => void,
    weight = 1,
  ): Action {
    return fault(name, weight, description, draw => {
      const server = draw.pick(servers)
      set(server, draw)
      world.observe()
      return `${server.name}: ${name}`
    })
  }

  return [
    action('servers recover', 4, () => {
      for (const server of servers) server.heal()
      world.observe()
      return 'all chain servers recover'
    }),
    serverFault('stall', 'a server keeps its branch and its mempool', server => server.freeze(), 2),
    fault('stall for long', 1, 'all servers keep their branch for half an hour and longer', async draw => {
      for (const server of servers) server.freeze()
      world.observe()
      await passTime(world, draw.int(1_600, 2_400), draw, { stops: draw.chance(0.3) ? 4 : 0 })
      return 'all chain servers have stalled meanwhile'
    }),
    serverFault('lag', 'a server does not serve its newest blocks', (server, draw) => {
      server.lagBlocks = draw.int(1, 6)
    }),
    serverFault('fall silent', 'a server is down', server => {
      server.down = true
    }),
    serverFault('hang', 'a server does not respond', server => {
      server.hangs = true
    }),
    serverFault('fail now and then', 'a part of the requests to a server fails', (server, draw) => {
      server.failureRate = draw.pick([0.05, 0.3, 0.8])
    }),
    serverFault('mempool fails', 'a node does not return its mempool', server => {
      server.mempoolFails = true
    }),
    serverFault('mempool is empty', 'a node was restarted and lost its mempool', server => {
      server.mempoolEmpty = true
    }),
    serverFault('cut ranges', 'a range of blocks ends early with an error', (server, draw) => {
      server.maxRange = draw.int(0, 3)
    }),
    serverFault('hide a transaction', 'a server hides a transaction of the mempool', (server, draw) => {
      const txids = [...network.mempool.keys()]
      if (txids.length > 0) server.hidden.add(draw.pick(txids))
    }),
    serverFault('omit a transaction', 'a server leaves a transaction out of its blocks', (server, draw) => {
      const unmined = [...network.mempool.keys()]
      const txids = unmined.length > 0 && draw.chance(0.8) ? unmined : [...network.transactions.keys()]
      if (txids.length > 0) server.omitted.add(draw.pick(txids))
    }),
    serverFault('follow a fork', 'a server is on its own branch', (server, draw) => {
      const depth = Math.min(draw.int(1, 6), network.height - 1)
      const fork = network.fork(depth, draw.int(0, depth + 2), world.nowSecs)
      server.fork(fork, draw.chance(0.5) ? [...network.mempool.values()] : [])
    }),
  ]
}
