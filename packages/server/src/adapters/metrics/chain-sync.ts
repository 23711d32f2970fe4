import { Counter, Gauge, type Registry } from 'prom-client'
import type { ChainProblemName } from '../../domain/chain/chain-problem.ts'
import type { Clock } from '../../ports/clock.ts'
import type { Metrics } from '../../ports/metrics.ts'

type ChainSyncMetrics = Pick<
  Metrics,
  'tip' | 'lag' | 'syncedThrough' | 'stalled' | 'clockSkew' | 'problems' | 'watchedKeys' | 'reorg' | 'needsAttention'
>

/** Registers the metrics of chain sync. */
export function createChainSyncMetrics(registry: Registry, clock: Clock): ChainSyncMetrics {
  const registers = [registry]
  const gauge = (name: string, help: string) => new Gauge({ name, help, registers })
  const tip = gauge('zatgate_chain_tip_height', 'Height of the newest recorded block.')
  const lag = gauge('zatgate_chain_lag_blocks', 'Blocks that the server has and that are not recorded yet.')
  const attention = gauge(
    'zatgate_invoices_needing_attention',
    'Paid invoices whose payments were removed by a reorganisation and not seen again, counted since this process started.',
  )
  const stalled = gauge(
    'zatgate_chain_stalled',
    '1 while the newest block is older than 20 expected intervals. No invoice expires during that time.',
  )
  const clockApart = gauge(
    'zatgate_clock_apart_seconds',
    'How far the clock is ahead of the median time of the newest blocks, if they differ by hours; otherwise 0. ' +
      'If not 0, no invoice expires and no plan ends.',
  )
  const reorged = new Counter({
    name: 'zatgate_chain_reorganised_blocks_total',
    help: 'Blocks removed by reorganisations.',
    registers,
  })
  const mempoolUnreadable = gauge(
    'zatgate_chain_mempool_unreadable',
    '1 while no chain server serves its mempool. Payments are detected when mined, and no invoice expires.',
  )
  const notFollowed = gauge(
    'zatgate_chain_upgrade_not_followed',
    '1 while no chain server follows the active network upgrade.',
  )
  const notSynced = gauge('zatgate_chain_server_behind_node_blocks', 'Blocks that the chain server is behind its node.')
  const estimatedLag = gauge(
    'zatgate_chain_server_estimated_lag_blocks',
    'Blocks that the node of the chain server estimates to be behind the network, if more than 100; otherwise 0.',
  )
  const watchedKeys = gauge(
    'zatgate_watched_viewing_keys',
    'Viewing keys that blocks and mempool are scanned with. MAX_WATCHED_KEYS limits them.',
  )
  const disagree = gauge(
    'zatgate_chain_servers_disagree',
    '1 while chain servers serve different blocks or payments. Payments there are not confirmed meanwhile.',
  )
  const leftOut = gauge(
    'zatgate_chain_server_left_out',
    '1 while two chain servers agree and another one cannot be compared or contradicts them.',
  )
  const secondMissing = gauge(
    'zatgate_chain_second_server_missing',
    '1 while only one of several chain servers serves the newest blocks. Invoices are then paid by what it shows.',
  )
  let seenThrough = clock.nowMs() / 1000
  new Gauge({
    name: 'zatgate_chain_seen_age_seconds',
    help: 'Seconds since the start of the last complete sync of chain and mempool, before it since the start of the process.',
    registers,
    collect() {
      this.set(Math.max(0, clock.nowMs() / 1000 - seenThrough))
    },
  })
  return {
    tip: height => tip.set(height),
    lag: blocks => lag.set(blocks),
    syncedThrough: unixSecs => {
      seenThrough = unixSecs
    },
    stalled: isStalled => stalled.set(isStalled ? 1 : 0),
    clockSkew: secs => clockApart.set(secs),
    problems(problems) {
      const find = (name: ChainProblemName) => problems.find(({ problem }) => problem === name)
      const blocks = (name: ChainProblemName) => {
        const problem = find(name)
        return problem && 'blocks' in problem ? problem.blocks : 0
      }
      disagree.set(find('servers_disagree') ? 1 : 0)
      leftOut.set(find('server_left_out') ? 1 : 0)
      secondMissing.set(find('second_server_missing') ? 1 : 0)
      mempoolUnreadable.set(find('mempool_unreadable') ? 1 : 0)
      notFollowed.set(find('upgrade_not_followed') ? 1 : 0)
      notSynced.set(blocks('not_synced'))
      estimatedLag.set(blocks('estimated_lag'))
    },
    watchedKeys: keys => watchedKeys.set(keys),
    reorg: blocks => reorged.inc(blocks),
    needsAttention: change => attention.inc(change),
  }
}
