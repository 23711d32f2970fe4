import type { Network } from '../domain/account.ts'
import { blockSpacingSecs } from '../domain/chain.ts'
import type { Store } from '../ports.ts'

export interface BlockSpacing {
  /** Seconds between blocks, on average, at the height of the newest recorded block. It changes with NU7. */
  current(): Promise<number>
}

export function createBlockSpacing(deps: { readonly store: Store; readonly network: Network }): BlockSpacing {
  const { store, network } = deps
  return {
    async current() {
      const tip = await store.glance(rows => rows.chain.tip())
      return blockSpacingSecs(network, tip?.height ?? 0)
    },
  }
}
