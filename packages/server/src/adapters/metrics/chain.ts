import { Counter, Gauge, type Registry } from 'prom-client'
import type { ChainProblemName } from '../../domain/chain-problem.ts'
import type { Clock, WatchMeter } from '../../ports.ts'

export function createWatchMeter(registry: Registry, clock: Clock): WatchMeter {
  const registers = [registry]
  const gauge = (name: string, help: string) => new Gauge({ name, help, registers })
  const tip = gauge('zatgate_chain_tip_height', 'Height of the newest block recorded.')
  const lag = gauge('zatgate_chain_lag_blocks', 'Blocks that the server has and that are not recorded yet.')
  const attention = gauge(
    'zatgate_invoices_needing_attention',
    'Paid invoices whose payments a reorganisation took back since this process started, less those that came again.',
  )
  const stalled = gauge(
    'zatgate_chain_stalled',
    '1 while the newest block is older than 20 expected intervals: no invoice expires meanwhile.',
  )
  const clockApart = gauge(
    'zatgate_clock_apart_seconds',
    'How far the clock is ahead of the median time of the newest blocks, where they are hours apart; 0 otherwise. ' +
      'No invoice expires and no plan ends meanwhile.',
  )
  const depth = new Counter({
    name: 'zatgate_chain_reorganised_blocks_total',
    help: 'Blocks that reorganisations took back.',
    registers,
  })
  const mempoolUnreadable = gauge(
    'zatgate_chain_mempool_unreadable',
    '1 while no chain server gives its mempool: payments show when they are mined, and no invoice expires.',
  )
  const notFollowed = gauge(
    'zatgate_chain_upgrade_not_followed',
    '1 while no chain server follows the network upgrade in force.',
  )
  const notSynced = gauge('zatgate_chain_server_behind_node_blocks', 'Blocks that the chain server is behind its node.')
  const estimatedLag = gauge(
    'zatgate_chain_server_estimated_lag_blocks',
    'Blocks that the node of the chain server guesses to be behind the network, where it guesses more than 100.',
  )
  let seenThrough: number | null = null
  new Gauge({
    name: 'zatgate_chain_seen_age_seconds',
    help: 'Age of the last complete look at chain and mempool.',
    registers,
    collect() {
      if (seenThrough !== null) this.set(Math.max(0, clock.nowMs() / 1000 - seenThrough))
    },
  })
  return {
    tip: height => tip.set(height),
    lag: blocks => lag.set(blocks),
    seenThrough: unixSecs => {
      seenThrough = unixSecs
    },
    stalled: yes => stalled.set(yes ? 1 : 0),
    clockApart: secs => clockApart.set(secs),
    problems(problems) {
      const found = (name: ChainProblemName) => problems.find(({ problem }) => problem === name)
      const blocks = (name: ChainProblemName) => {
        const problem = found(name)
        return problem && 'blocks' in problem ? problem.blocks : 0
      }
      mempoolUnreadable.set(found('mempool_unreadable') ? 1 : 0)
      notFollowed.set(found('upgrade_not_followed') ? 1 : 0)
      notSynced.set(blocks('not_synced'))
      estimatedLag.set(blocks('estimated_lag'))
    },
    reorg: blocks => depth.inc(blocks),
    needsAttention: change => attention.inc(change),
  }
}
