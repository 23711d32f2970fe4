import type { LightdInfo } from '@zatgate/zcash/lightwallet/gen/compact_tx_streamer_pb'
import type { Network } from '../../domain/account.ts'
import { type ConsensusParams, isActive, nextUpgrade, upgradeNotFollowed } from '../../domain/network-upgrade.ts'
import { BadAnswer } from './decode.ts'

/** What a server says of itself and of the node behind it. */
export interface Inspection {
  /** Of the newest block that it serves. */
  readonly height: number
  /** As the server names itself. */
  readonly version: string
  /** Blocks below the height that the node guesses for the network; 0 on a regtest, where it knows no pace. */
  readonly estimatedLag: number
  /** Blocks that the node has and the server does not serve, or not yet. */
  readonly blocksBehindNode: number
  /** The node has more blocks above `height` than a cache explains, or is past an upgrade that `height` is not. */
  readonly nodeIsAhead: boolean
}

/** The blocks of the server are not those of the network: they are under rules that an upgrade has replaced. */
export class UpgradeNotFollowed extends BadAnswer {
  readonly upgrade: string

  constructor(upgrade: string, message: string) {
    super(message)
    this.upgrade = upgrade
  }
}

/** First Sapling block of the public testnet: a regtest of Zebra calls its chain `test`, too. */
const TESTNET_SAPLING_HEIGHT = 280_000n

/** The caches of a server are some seconds old. */
const MAX_CACHE_LAG_BLOCKS = 3

/** @throws BadAnswer when the server cannot be used: another network, or one without today's rules. */
export function inspectInfo(info: LightdInfo, height: number, params: ConsensusParams): Inspection {
  checkChainName(info, params.network)
  checkProtocol(info.lightwalletProtocolVersion, height, params)
  checkBranch(info, params)
  const expected = params.network === 'regtest' ? 0 : Number(info.estimatedHeight)
  return {
    height,
    version: `${info.vendor} ${info.version}`.trim(),
    estimatedLag: Math.max(0, expected - height),
    blocksBehindNode: Math.max(0, Number(info.blockHeight) - height),
    nodeIsAhead: isAhead(info, height, params),
  }
}

function isAhead(info: LightdInfo, height: number, params: ConsensusParams): boolean {
  if (info.blockHeight > BigInt(height + MAX_CACHE_LAG_BLOCKS)) return true
  const next = nextUpgrade(params, height)
  return next !== null && info.consensusBranchId.toLowerCase() === next.branchId
}

function checkChainName({ chainName, saplingActivationHeight }: LightdInfo, network: Network): void {
  const matches = chainName === network || (network === 'regtest' && chainName === 'test')
  if (!matches) {
    throw new BadAnswer(`serves the chain "${chainName.slice(0, 20)}", and this service is on "${network}"`)
  }
  if (network === 'regtest' && saplingActivationHeight === TESTNET_SAPLING_HEIGHT) {
    throw new BadAnswer('serves the public testnet, and this service is on "regtest": set NETWORK to "test"')
  }
}

/** Protocols before 0.5.0 know no Ironwood. lightwalletd up to 0.5.3 does not say which it speaks. */
function checkProtocol(version: string, height: number, params: ConsensusParams): void {
  const [, major, minor] = /^v?(\d+)\.(\d+)/.exec(version) ?? []
  const old = major === '0' && Number(minor) < 5
  if (old && isActive(params, 'NU6.3', height)) {
    throw new BadAnswer(`speaks protocol ${version.slice(0, 20)}, which leaves out Ironwood; 0.5.0 is needed`)
  }
}

function checkBranch({ consensusBranchId, blockHeight }: LightdInfo, params: ConsensusParams): void {
  const upgrade = upgradeNotFollowed(params, consensusBranchId, Number(blockHeight))
  if (!upgrade) return
  const setting = upgrade.name === 'NU7' ? 'REGTEST_NU7_HEIGHT' : 'REGTEST_NU63_HEIGHT'
  const hint = params.network === 'regtest' ? `; or is ${setting} not the height of this regtest?` : ''
  throw new UpgradeNotFollowed(
    upgrade.name,
    `does not follow ${upgrade.name}: at height ${blockHeight} it reports the branch ${consensusBranchId.slice(0, 8)} ` +
      `where ${upgrade.branchId} is in force since ${upgrade.height}${hint}`,
  )
}
