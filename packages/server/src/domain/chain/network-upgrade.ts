import type { Network } from '../account/account.ts'

/** A network upgrade: its rules and its consensus branch id are in force from its activation height on (ZIP 200). */
export interface NetworkUpgrade {
  readonly name: string
  /** Consensus branch id: eight lower-case hexadecimal digits. */
  readonly branchId: string
  /** Activation height. */
  readonly height: number
}

/** The consensus parameters of one network. */
export interface ConsensusParams {
  readonly network: Network
  /** Ordered by height, lowest first. On a regtest, upgrades before NU6.3 count as active from height 0 on. */
  readonly upgrades: readonly NetworkUpgrade[]
}

/** The activation heights of a regtest. */
export interface RegtestHeights {
  readonly nu63Height: number
  /** Null: never. */
  readonly nu7Height: number | null
}

/**
 * The known upgrades. Sources: ZIP 252 (NU5), ZIP 253 (NU6), ZIP 255 (NU6.1), and the crates zcash_protocol 0.11.0 and
 * zebra-chain 15.0.0 (NU6.2, NU6.3, NU7).
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

/** The defaults of the settings REGTEST_NU63_HEIGHT and REGTEST_NU7_HEIGHT. */
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

/** A height that the public network passed before this version was released; null on a regtest. */
export function passedHeight({ network }: ConsensusParams): number | null {
  return network === 'regtest' ? null : UPGRADES.find(({ name }) => name === 'NU6.3')![network]
}

/** Whether an upgrade is in force at a height. */
export function isActive({ upgrades }: ConsensusParams, name: UpgradeName, height: number): boolean {
  return upgrades.some(upgrade => upgrade.name === name && height >= upgrade.height)
}

/** The first known upgrade above a height. */
export function nextUpgrade({ upgrades }: ConsensusParams, height: number): NetworkUpgrade | null {
  return upgrades.find(upgrade => upgrade.height > height) ?? null
}

/**
 * The upgrade that a server does not follow: the one in force at `height`, when the server reports the branch id of an
 * older upgrade for that block. Null when it follows. Unknown branch ids belong to later upgrades and count as following.
 *
 * @param branchId hexadecimal, in either case, with or without leading zeros
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
 * The target block spacing in seconds: 75 since Blossom (ZIP 208), 25 from NU7 on. A regtest mines on demand; the same
 * values are used for it.
 */
export function blockSpacingSecs(params: ConsensusParams, height: number): number {
  return isActive(params, 'NU7', height) ? 25 : 75
}
