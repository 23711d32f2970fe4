import { Counter, Gauge, type Registry } from 'prom-client'
import type { Clock, WatchMeter } from '../ports.ts'

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
    reorg: blocks => depth.inc(blocks),
    needsAttention: change => attention.inc(change),
  }
}
