import { blockSpacingSecs, type ConsensusParams } from '../domain/network-upgrade.ts'
import type { Store } from '../ports.ts'

export interface BlockSpacing {
  /** Seconds between blocks, on average, at the height of the newest recorded block. It changes with NU7. */
  current(): Promise<number>
}

export function createBlockSpacing(deps: { readonly store: Store; readonly params: ConsensusParams }): BlockSpacing {
  const { store, params } = deps
  return {
    async current() {
      const tip = await store.glance(rows => rows.chain.tip())
      return blockSpacingSecs(params, tip?.height ?? 0)
    },
  }
}
