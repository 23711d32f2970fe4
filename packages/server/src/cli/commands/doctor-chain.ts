import { createLightwalletd } from '../../adapters/lightwalletd/chain.ts'
import { systemClock } from '../../adapters/system/clock.ts'
import { createLogger } from '../../adapters/system/logger.ts'
import type { Config } from '../../config/settings.ts'
import { type Block, HEADERS_KEPT } from '../../domain/chain/chain.ts'
import { describeChainProblem } from '../../domain/chain/chain-problem.ts'
import { chainTime, MEDIAN_BLOCKS } from '../../domain/chain/clock-agreement.ts'
import {
  blockSpacingSecs,
  type ConsensusParams,
  consensusParams,
  nextUpgrade,
  passedHeight,
} from '../../domain/chain/network-upgrade.ts'
import type { Chain } from '../../ports/chain.ts'
import { CHECK_TIMEOUT_MS, type Finding, runCheck, skipped, wrong } from './doctor-finding.ts'

/** An upgrade at most this many blocks ahead is reported. */
const UPGRADE_NOTICE_BLOCKS = 2_000
/** How long the mempool stream is read. A server that does not support it refuses at once. */
const MEMPOOL_STREAM_MS = 1_500

export async function checkChain(config: Config): Promise<Finding[]> {
  if (config.sandbox) return [skipped('chain source', 'simulated'), skipped('clock', 'no chain to compare with')]
  const params = consensusParams(config.network, config.regtest)
  const findings: Finding[][] = []
  for (const url of config.lightwalletdUrls) findings.push(await checkServer(url, params))
  return findings.flat()
}

/** Reads what the watcher reads: the tip, the first and the newest blocks, the mempool snapshot and the mempool stream. */
async function checkServer(url: string, params: ConsensusParams): Promise<Finding[]> {
  const { host } = new URL(url)
  const log = createLogger('silent')
  const chain = createLightwalletd({ urls: [url], params, clock: systemClock, log })
  try {
    let newest: readonly Block[] = []
    const source = await runCheck(
      `chain source ${host}`,
      'check LIGHTWALLETD_URL; add a second server as a fallback',
      async () => {
        newest = await readBlocks(chain, AbortSignal.timeout(CHECK_TIMEOUT_MS))
        return newest[0] ? `at height ${newest[0].height}` : 'no block above the genesis block yet'
      },
    )
    if (source.state === 'wrong') return [source]
    const { problems } = chain
    const findings = [
      source,
      ...problems.map(
        (problem): Finding => ({ check: source.check, state: 'warning', says: describeChainProblem(problem) }),
      ),
      await checkMempool(chain, host),
    ]
    for (const finding of checkHeight(params, newest[0]?.height ?? 0, source.check)) findings.push(finding)
    if (!newest[0]) return findings
    // The blocks of a node that is still syncing are old, so they cannot be compared with the clock.
    const clock =
      problems.length > 0 ? skipped('clock', `${host} may not be at the tip yet`) : checkClock(params, newest, host)
    return [...findings, clock, ...checkUpgrade(params, newest[0].height)]
  } finally {
    await chain.close()
  }
}

/** The newest blocks in descending order. @throws where the watcher would fail too */
async function readBlocks(chain: Chain, signal: AbortSignal): Promise<Block[]> {
  const { height } = await chain.tip(signal)
  if (height === 0) return []
  const first = Math.max(1, height - HEADERS_KEPT)
  if ((await collect(chain.blocks(first, first, signal))).length === 0)
    throw new Error(`the server did not return block ${first}, where the watcher starts reading`)
  const blocks = await collect(chain.blocks(Math.max(1, height - MEDIAN_BLOCKS + 1), height, signal))
  if (blocks.at(-1)?.height !== height) throw new Error('the server did not return its newest block')
  return blocks.reverse()
}

async function checkMempool(chain: Chain, host: string): Promise<Finding> {
  const advice =
    'payments appear only once mined, and no invoice expires: check that the server supports the current network ' +
    'upgrade, or add a second server to LIGHTWALLETD_URL'
  return runCheck(`mempool ${host}`, advice, async () => {
    const transactions = await chain.mempoolSnapshot(AbortSignal.timeout(CHECK_TIMEOUT_MS))
    await collect(chain.mempool(AbortSignal.timeout(MEMPOOL_STREAM_MS)))
    return transactions.length === 1 ? '1 transaction' : `${transactions.length} transactions`
  })
}

/** Block times are the only independent clock available. On regtest they are arbitrary. */
function checkClock(params: ConsensusParams, newest: readonly Block[], host: string): Finding {
  if (params.network === 'regtest') return skipped('clock', 'regtest block times are arbitrary')
  const now = Math.floor(systemClock.nowMs() / 1000)
  const time = chainTime(params, newest, now)
  switch (time.state) {
    case 'clock_ahead':
    case 'clock_behind': {
      const says = `${time.bySecs} s ${time.state === 'clock_ahead' ? 'ahead of' : 'behind'} the newest blocks of ${host}`
      const advice = 'correct the clock of this machine (NTP); until then no invoice expires and no plan ends'
      return wrong('clock', says, advice)
    }
    case 'stalled': {
      const { height } = newest[0]!
      const next = nextUpgrade(params, height)
      const says = `the newest block of ${host} is ${time.ageSecs} s old`
      return next?.height === height + 1
        ? wrong(
            'clock',
            `${says} and is the last one before ${next.name}`,
            `the server does not support ${next.name}: update it`,
          )
        : wrong(
            'clock',
            says,
            'the server has stalled, or the clock is ahead; no invoice expires until a new block arrives',
          )
    }
    default:
      return {
        check: 'clock',
        state: 'ok',
        says: `the newest block is ${Math.max(0, now - (newest[0]?.time ?? now))} s old`,
      }
  }
}

/** A node that has just begun to sync, or a private chain with the name of a public one, can look healthy otherwise. */
function checkHeight(params: ConsensusParams, height: number, check: string): Finding[] {
  const passed = passedHeight(params)
  if (passed === null || height >= passed) return []
  const network = params.network === 'main' ? 'mainnet' : 'testnet'
  const says = `at height ${height}, but the public ${network} is above height ${passed}`
  const advice = 'wait until the node has synced; if the chain is private, set NETWORK=regtest'
  return [{ check, state: 'warning', says, advice }]
}

function checkUpgrade(params: ConsensusParams, height: number): Finding[] {
  const next = nextUpgrade(params, height)
  if (!next || next.height - height > UPGRADE_NOTICE_BLOCKS) return []
  const blocks = next.height - height
  const hours = Math.round((blocks * blockSpacingSecs(params, height)) / 360) / 10
  return [
    {
      check: 'network upgrade',
      state: 'warning',
      says: `${next.name} begins at height ${next.height}, in ${blocks} blocks (about ${hours} hours)`,
      advice: `check that your server supports ${next.name}`,
    },
  ]
}

async function collect<T>(items: AsyncIterable<T>): Promise<T[]> {
  const collected: T[] = []
  for await (const item of items) collected.push(item)
  return collected
}
