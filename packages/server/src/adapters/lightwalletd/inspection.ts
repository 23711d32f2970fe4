import type { LightdInfo } from '@zatgate/zcash/lightwallet/gen/compact_tx_streamer_pb'
import type { Network } from '../../domain/account/account.ts'
import { type ConsensusParams, isActive, nextUpgrade, upgradeNotFollowed } from '../../domain/chain/network-upgrade.ts'
import { InvalidResponse } from './decode.ts'

/** The facts that a server reports about itself and its node. */
export interface ServerInspection {
  /** Height of the newest block that the server serves. */
  readonly height: number
  /** Vendor and version, as reported by the server. */
  readonly version: string
  /** Blocks between `height` and the network height that the node estimates; 0 on regtest, which has no block interval. */
  readonly estimatedLag: number
  /** Blocks that the node has and the server does not serve yet. */
  readonly blocksBehindNode: number
  /** The node has more blocks above `height` than a cache explains, or is past an upgrade that lies above `height`. */
  readonly nodeIsAhead: boolean
}

/** The server is on a branch that does not follow a network upgrade: its blocks use the replaced consensus rules. */
export class UpgradeNotFollowedError extends InvalidResponse {
  readonly upgrade: string

  constructor(upgrade: string, message: string) {
    super(message)
    this.upgrade = upgrade
  }
}

/** Sapling activation height of the public testnet. Tells it from a Zebra regtest, which also reports the chain `test`. */
const TESTNET_SAPLING_HEIGHT = 280_000n

/** Server caches are a few seconds old. */
const MAX_CACHE_LAG_BLOCKS = 3

/** @throws InvalidResponse when the server is on another network, or does not follow the current consensus rules */
export function inspectInfo(info: LightdInfo, height: number, params: ConsensusParams): ServerInspection {
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
    throw new InvalidResponse(`serves the chain "${chainName.slice(0, 20)}", but this service is on "${network}"`)
  }
  if (network === 'regtest' && saplingActivationHeight === TESTNET_SAPLING_HEIGHT) {
    throw new InvalidResponse('serves the public testnet, but this service is on "regtest": set NETWORK to "test"')
  }
}

/** Protocol versions before 0.5.0 do not include Ironwood. lightwalletd up to 0.5.3 does not report its version. */
function checkProtocol(version: string, height: number, params: ConsensusParams): void {
  const [, major, minor] = /^v?(\d+)\.(\d+)/.exec(version) ?? []
  const isOutdated = major === '0' && Number(minor) < 5
  if (isOutdated && isActive(params, 'NU6.3', height)) {
    throw new InvalidResponse(
      `uses protocol ${version.slice(0, 20)}, which does not include Ironwood; 0.5.0 or later is required`,
    )
  }
}

function checkBranch({ consensusBranchId, blockHeight }: LightdInfo, params: ConsensusParams): void {
  const upgrade = upgradeNotFollowed(params, consensusBranchId, Number(blockHeight))
  if (!upgrade) return
  const setting = upgrade.name === 'NU7' ? 'REGTEST_NU7_HEIGHT' : 'REGTEST_NU63_HEIGHT'
  const hint = params.network === 'regtest' ? `; check that ${setting} matches this regtest` : ''
  throw new UpgradeNotFollowedError(
    upgrade.name,
    `does not follow ${upgrade.name}: at height ${blockHeight} it reports the branch ${consensusBranchId.slice(0, 8)} ` +
      `where ${upgrade.branchId} has been active since height ${upgrade.height}${hint}`,
  )
}
