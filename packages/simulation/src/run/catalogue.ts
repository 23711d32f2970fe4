import { PARTS } from '../parts/parts.ts'
import { World } from '../world/world.ts'
import type { Action, Part } from './part.ts'
import type { Databases } from './run.ts'
import { drawSetup } from './setup.ts'

/** Everything that the parts declare, as far as a world with all of them has it. */
export interface Catalogue {
  readonly actions: readonly (Action & { readonly part: string })[]
  /** Actions that inject a fault. */
  readonly faults: readonly (Action & { readonly part: string; readonly fault: string })[]
  /** State transitions that are known to be possible. */
  readonly transitions: readonly string[]
}

/** Creates all parts in a world that never runs, and lists what they declare. */
export function readCatalogue(databases: Databases): Catalogue {
  const everything = PARTS.map(({ name }) => [name, 1] as const)
  const setup = {
    ...drawSetup(1, everything),
    database: 'sqlite',
    processes: 3,
    chainServers: 3,
    merchants: 2,
    height: 1_100,
  } as const
  const world = new World(1, setup, databases.sqlite)
  databases.sqlite.begin(world.storeHooks())
  const parts: Part[] = []
  world.parts = parts
  for (const factory of PARTS) parts.push(factory.create(world))
  const actions = parts.flatMap(({ actions }, index) =>
    actions.map(action => ({ ...action, part: PARTS[index]!.name })),
  )
  return {
    actions,
    faults: actions.flatMap(action => (action.fault === undefined ? [] : [{ ...action, fault: action.fault }])),
    transitions: parts.flatMap(({ transitions }) => transitions ?? []),
  }
}
