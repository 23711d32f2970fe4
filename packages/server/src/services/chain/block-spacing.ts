import { blockSpacingSecs, type ConsensusParams } from '../../domain/chain/network-upgrade.ts'
import type { Store } from '../../ports/store.ts'

export interface BlockSpacing {
  /** Target seconds between blocks at the height of the newest recorded block. NU7 changes it. */
  current(): Promise<number>
}

export function createBlockSpacing(deps: { readonly store: Store; readonly params: ConsensusParams }): BlockSpacing {
  const { store, params } = deps
  return {
    async current() {
      const tip = await store.query(tx => tx.chain.tip())
      return blockSpacingSecs(params, tip?.height ?? 0)
    },
  }
}
