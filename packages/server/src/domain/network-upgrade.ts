import type { Network } from './account.ts'

/** A network upgrade: from its activation height on, its rules and its consensus branch id are in force (ZIP 200). */
export interface NetworkUpgrade {
  readonly name: string
  /** Consensus branch id: eight lower-case hexadecimal digits. */
  readonly branchId: string
  /** Height of the first block. */
  readonly height: number
}

/** What consensus demands on one network. */
export interface ConsensusParams {
  readonly network: Network
  /** By height, the lowest first. On a regtest, those before NU6.3 are taken to begin at height 0. */
  readonly upgrades: readonly NetworkUpgrade[]
}

/** The heights that a regtest was set up with. */
export interface RegtestHeights {
  readonly nu63Height: number
  /** Null: never. */
  readonly nu7Height: number | null
}

/**
 * The upgrades that zatgate knows. Sources: ZIP 252 (NU5), ZIP 253 (NU6), ZIP 255 (NU6.1), and the crates zcash_protocol 0.11.0
 * and zebra-chain 15.0.0 (NU6.2, NU6.3, NU7).
 */
const UPGRADES = [
  { name: 'NU5', branchId: 'c2d6d0b4', main: 1_687_104, test: 1_842_420 },
  { name: 'NU6', branchId: 'c8e71055', main: 2_726_400, test: 2_976_000 },
  { name: 'NU6.1', branchId: '4dec4df0', main: 3_146_400, test: 3_536_500 },
  { name: 'NU6.2', branchId: '5437f330', main: 3_364_600, test: 4_052_000 },
  { name: 'NU6.3', branchId: '37a5165b', main: 3_428_143, test: 4_134_000 },
  { name: 'NU7', branchId: '77190ad9', main: 3_543_405, test: 4_465_026 },
] as const

type UpgradeName = (typeof UPGRADES)[number]['name']

/** As the settings have it by default. */
const REGTEST_DEFAULTS: RegtestHeights = { nu63Height: 0, nu7Height: null }

export function consensusParams(network: Network, regtest: RegtestHeights = REGTEST_DEFAULTS): ConsensusParams {
  const heightOf = (upgrade: (typeof UPGRADES)[number]) => {
    if (network !== 'regtest') return upgrade[network]
    if (upgrade.name === 'NU6.3') return regtest.nu63Height
    return upgrade.name === 'NU7' ? regtest.nu7Height : 0
  }
  const upgrades = UPGRADES.flatMap(upgrade => {
    const height = heightOf(upgrade)
    return height === null ? [] : [{ name: upgrade.name, branchId: upgrade.branchId, height }]
  })
  return { network, upgrades }
}

/** Whether an upgrade is in force in the block at that height. */
export function isActive({ upgrades }: ConsensusParams, name: UpgradeName, height: number): boolean {
  return upgrades.some(upgrade => upgrade.name === name && height >= upgrade.height)
}

/** The first upgrade above a height; null: zatgate knows of none. */
export function nextUpgrade({ upgrades }: ConsensusParams, height: number): NetworkUpgrade | null {
  return upgrades.find(upgrade => upgrade.height > height) ?? null
}

/**
 * The upgrade that a server does not follow, judged by the branch id that it reports for a block: the one in force at
 * that height where the server reports an older one. Null where it follows, or reports a branch id that zatgate does not
 * know: that of a later upgrade.
 *
 * @param branchId hexadecimal, in either case, leading zeros left out or not
 */
export function upgradeNotFollowed(
  { upgrades }: ConsensusParams,
  branchId: string,
  height: number,
): NetworkUpgrade | null {
  const required = upgrades.findLast(upgrade => upgrade.height <= height)
  const reported = branchId.toLowerCase().padStart(8, '0')
  const known = UPGRADES.findIndex(upgrade => upgrade.branchId === reported)
  if (!required || known === -1) return null
  return known < UPGRADES.findIndex(({ name }) => name === required.name) ? required : null
}

/**
 * Seconds between blocks that the difficulty adjustment aims at: 75 since Blossom (ZIP 208), 25 from NU7 on. A regtest
 * mines when it is told to; the same figures stand for it.
 */
export function blockSpacingSecs(params: ConsensusParams, height: number): number {
  return isActive(params, 'NU7', height) ? 25 : 75
}
