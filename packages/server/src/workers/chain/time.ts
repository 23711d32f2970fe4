import type { ChainTime } from '../../domain/chain/clock-agreement.ts'
import type { Log } from '../../ports/log.ts'
import type { Metrics } from '../../ports/metrics.ts'

/** Creates a function that reports how block times and clock compare: it sets the metrics and logs each change. */
export function createTimeReporter(deps: { readonly log: Log; readonly metrics: Metrics }): (time: ChainTime) => void {
  const { log, metrics } = deps
  let before: ChainTime['state'] = 'ok'
  return time => {
    metrics.stalled(time.state === 'stalled')
    metrics.clockSkew(time.state === 'clock_ahead' ? time.bySecs : time.state === 'clock_behind' ? -time.bySecs : 0)
    if (time.state === before) return
    before = time.state
    if (time.state === 'stalled')
      log.error({ ageSecs: time.ageSecs }, 'the chain server has no new block; no invoice expires until it has one')
    else if (time.state === 'clock_ahead' || time.state === 'clock_behind')
      log.error(
        { state: time.state, bySecs: time.bySecs },
        'the clock differs from the newest block times by hours; no invoice expires and no plan ends until they agree',
      )
    else log.info({}, 'the newest block times agree with the clock again')
  }
}
