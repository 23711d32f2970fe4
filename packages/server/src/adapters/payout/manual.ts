import type { Log } from '../../ports/log.ts'
import type { PayoutProvider } from '../../ports/payout-provider.ts'
/**
 * The payout provider for manual payouts. It only logs the order: the operator pays it and reports the result with
 * `zatgate withdrawals settle` or `fail`. The log line and the metric of waiting orders can trigger an alert.
 */
export function createManualPayout(log: Log): PayoutProvider {
  return {
    name: 'manual',
    async pay({ id, fiatCurrency, fiatAmount }) {
      log.info({ order: id.slice(0, 8), fiatCurrency, fiatAmount }, 'withdrawal waits for manual payout')
      return { state: 'by_hand' }
    },
  }
}
