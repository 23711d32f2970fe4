export type Network = 'main' | 'test' | 'regtest'

export const NETWORKS: readonly Network[] = ['main', 'test', 'regtest']

/** Human-readable parts of the ZIP 316 Revision 0 containers. */
export const PREFIXES = {
  address: { main: 'u', test: 'utest', regtest: 'uregtest' },
  ufvk: { main: 'uview', test: 'uviewtest', regtest: 'uviewregtest' },
  uivk: { main: 'uivk', test: 'uivktest', regtest: 'uivkregtest' },
} as const

/** Human-readable parts of the ZIP 316 Revision 2 viewing keys; its addresses (`zu`, `tu`) are not understood here. */
export const PREFIXES_R2 = {
  ufvk: { main: 'uvf', test: 'uvftest', regtest: 'uvfregtest' },
  uivk: { main: 'uvi', test: 'uvitest', regtest: 'uviregtest' },
} as const

/** SLIP 44 coin types, as ZIP 32 paths use them; regtest shares testnet's. */
export const COIN_TYPES: Readonly<Record<Network, number>> = { main: 133, test: 1, regtest: 1 }

/** Consensus branch ids (ZIP 200): of NU6.2, the last upgrade before the Ironwood pool, and of NU6.3, which opens it. */
export const BRANCH_IDS = { nu62: 0x5437f330, nu63: 0x37a5165b } as const
