export type Network = 'main' | 'test' | 'regtest'

export const NETWORKS: readonly Network[] = ['main', 'test', 'regtest']

/** Human-readable parts of the ZIP 316 Revision 0 containers. */
export const PREFIXES = {
  address: { main: 'u', test: 'utest', regtest: 'uregtest' },
  ufvk: { main: 'uview', test: 'uviewtest', regtest: 'uviewregtest' },
  uivk: { main: 'uivk', test: 'uivktest', regtest: 'uivkregtest' },
} as const

/** SLIP 44 coin type, as ZIP 32 paths use it. */
export const COIN_TYPES: Readonly<Record<Network, number>> = { main: 133, test: 1, regtest: 1 }

/** Consensus branch ids (ZIP 200) of the upgrades that matter to a receiver. */
export const BRANCH_IDS = { nu5: 0xc2d6d0b4, nu63: 0x37a5165b, nu7: 0x77190ad9 } as const

const NU63_HEIGHTS: Readonly<Record<Network, number | undefined>> = {
  main: 3_428_143,
  test: 4_134_000,
  regtest: undefined,
}

const NU7_HEIGHTS: Readonly<Record<Network, number | undefined>> = {
  main: 3_543_405,
  test: 4_465_026,
  regtest: undefined,
}

/** First block of NU6.3, from which payments land in the Ironwood pool; undefined where each chain sets its own. */
export function nu63Height(network: Network): number | undefined {
  return NU63_HEIGHTS[network]
}

/** First block of NU7: 25-second blocks, no v4 transactions; undefined where each chain sets its own. */
export function nu7Height(network: Network): number | undefined {
  return NU7_HEIGHTS[network]
}
