/** A Zcash network. */
export type Network = 'main' | 'test' | 'regtest'

/** All networks. */
export const NETWORKS: readonly Network[] = ['main', 'test', 'regtest']

/** Human-readable parts of ZIP 316 Revision 0 addresses and viewing keys, by kind and network. */
export const PREFIXES = {
  address: { main: 'u', test: 'utest', regtest: 'uregtest' },
  ufvk: { main: 'uview', test: 'uviewtest', regtest: 'uviewregtest' },
  uivk: { main: 'uivk', test: 'uivktest', regtest: 'uivkregtest' },
} as const

/** Human-readable parts of ZIP 316 Revision 2 viewing keys. Revision 2 addresses (`zu…`, `tu…`) are not supported. */
export const PREFIXES_REVISION_2 = {
  ufvk: { main: 'uvf', test: 'uvftest', regtest: 'uvfregtest' },
  uivk: { main: 'uvi', test: 'uvitest', regtest: 'uviregtest' },
} as const

/** SLIP 44 coin types for ZIP 32 paths (ZIP 32, "Key path levels"). Regtest uses the coin type of testnet. */
export const COIN_TYPES: Readonly<Record<Network, number>> = { main: 133, test: 1, regtest: 1 }

/**
 * Consensus branch ids (ZIP 200): NU6.2 (ZIP 257), NU6.3, which introduces the Ironwood pool (ZIP 258), and NU7.
 */
export const BRANCH_IDS = { nu62: 0x5437f330, nu63: 0x37a5165b, nu7: 0x77190ad9 } as const
