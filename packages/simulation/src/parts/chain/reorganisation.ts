import type { Draw } from '../../runtime/draw.ts'
import type { World } from '../../world/world.ts'

/** Replaces the newest blocks by at least as many. Most of their transactions return to the mempool, or few. */
export function reorganise(world: World, draw: Draw, wanted: number): string {
  const { network } = world
  const depth = Math.min(wanted, network.height - 1)
  const keepsMost = draw.chance(0.7)
  network.removeBlocks(depth, () => draw.chance(keepsMost ? 0.95 : 0.3))
  const growth = depth + draw.int(0, 2)
  for (let i = 0; i < growth; i++) world.mine([...network.mempool.keys()].filter(() => draw.chance(0.3)))
  if (growth === 0) world.observe()
  return `a reorganisation replaces ${depth} blocks; the chain ends at ${network.height}`
}
