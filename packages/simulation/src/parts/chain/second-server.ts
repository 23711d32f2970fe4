import type { Action } from '../../run/part.ts'
import type { Draw } from '../../runtime/draw.ts'
import type { ChainServer } from '../../world/chain/chain-server.ts'
import { NO_FAILURES } from '../../world/store-failures.ts'
import type { World } from '../../world/world.ts'

const AGREED = "SELECT value FROM counters WHERE name = 'witnessed_height'"
const HEADER = 'SELECT hash FROM headers WHERE height = ?'

/** Longer than the service waits for a second server. */
const AWAY_MS = 330_000
/** The comparison runs every few seconds, and late on a busy machine. */
const COMPARED_MS = 20_000
/** Blocks that one comparison covers. */
const COMPARED_BLOCKS = 100

/** The servers of the settings: one that stays in order, and the others. */
interface Servers {
  readonly keeper: ChainServer
  readonly others: readonly ChainServer[]
}

/** A second chain server that is away, lags or returns on another branch, and the height up to which two of them agree. */
export function secondServerActions(world: World): readonly Action[] {
  if (world.servers.length === 1) return []
  return [
    {
      name: 'a second chain server returns on a fork',
      weight: 1.5,
      fault: 'the second server is away until blocks count without it, and returns on its own branch',
      run: draw => returnOnFork(world, draw),
    },
    {
      name: 'a second chain server follows with a lag',
      weight: 1.5,
      fault: 'the second server is some blocks behind for longer than the service waits for one',
      run: draw => followWithLag(world, draw),
    },
  ]
}

async function returnOnFork(world: World, draw: Draw): Promise<string | undefined> {
  const servers = undisturbed(world, draw)
  if (!servers) return undefined
  const { keeper, others } = servers
  const isUnchanged = noteProcesses(world)
  for (const server of others) server.down = true
  world.observe()
  const before = agreedHeight(world) ?? 0
  const mined = draw.int(4, 8)
  for (let blocks = 0; blocks < mined; blocks++) {
    world.mine()
    await world.runFor(Math.ceil(AWAY_MS / mined))
  }
  await world.runFor(COMPARED_MS)
  const depth = draw.int(1, mined - 1)
  const base = world.network.height - depth
  const counted = agreedHeight(world) ?? 0
  const branch = world.network.fork(depth, depth, world.nowSecs)
  for (const server of others) {
    server.heal()
    server.fork(branch, [...world.network.mempool.values()])
  }
  world.observe()
  const rounds = 3 + Math.ceil((world.network.height - before) / COMPARED_BLOCKS)
  for (let round = 0; round < rounds; round++) await world.runFor(COMPARED_MS)
  const agreed = agreedHeight(world)
  const [recorded] = world.database.committed<{ hash: string }>(HEADER, base + 1)
  const isOpposed = recorded?.hash === keeper.branch[base + 1]?.hash
  if (isUnchanged() && isOpposed && agreed !== null && counted > base && agreed > base)
    world.fail('the agreed height goes back below a disagreement', `${agreed}, the servers differ above ${base}`)
  return `the second server was away, and serves another branch above block ${base}`
}

async function followWithLag(world: World, draw: Draw): Promise<string | undefined> {
  const servers = undisturbed(world, draw)
  if (!servers) return undefined
  const { others } = servers
  const isUnchanged = noteProcesses(world)
  const lag = draw.int(1, 3)
  for (const server of others) server.lagBlocks = lag
  world.observe()
  const before = agreedHeight(world) ?? 0
  for (let blocks = 0; blocks < 8; blocks++) {
    world.mine()
    await world.runFor(draw.int(40, 80) * 1_000)
  }
  const served = world.network.height - lag
  const agreed = agreedHeight(world)
  if (isUnchanged() && agreed !== null && before < served && agreed > served)
    world.fail('no block counts without a second server that follows', `${agreed}, it serves blocks up to ${served}`)
  return `the second server is ${lag} blocks behind`
}

/**
 * Ends what else may disturb the comparison.
 * @returns undefined when a process does not run, or only one server is in the settings
 */
function undisturbed(world: World, draw: Draw): Servers | undefined {
  const used = world.servers.slice(0, world.usedServers)
  if (used.length === 1 || world.responsive.length < world.processes.length) return undefined
  Object.assign(world.storeFailures, NO_FAILURES)
  for (const server of used) server.heal()
  const keeper = draw.pick(used)
  return { keeper, others: used.filter(server => server !== keeper) }
}

/** Since when a second server is missing is in the memory of a process only. @returns whether all of them have gone on */
function noteProcesses(world: World): () => boolean {
  const noted = [...world.processes]
  const identity = world.databaseIdentity
  return () =>
    world.databaseIdentity === identity &&
    noted.every((process, index) => process.services !== null && world.processes[index] === process)
}

function agreedHeight({ database }: World): number | null {
  const [row] = database.committed<{ value: bigint }>(AGREED)
  return row ? Number(row.value) : null
}
