import { createVault } from '../../adapters/crypto/vault.ts'
import { createManualPayout } from '../../adapters/payout/manual.ts'
import { systemClock } from '../../adapters/system/clock.ts'
import { createLogger } from '../../adapters/system/logger.ts'
import { systemRandom } from '../../adapters/system/random.ts'
import type { Config } from '../../config/settings.ts'
import { decimalZec } from '../../domain/payment-uri.ts'
import { maskPayout } from '../../domain/withdrawal.ts'
import { createPayouts, type DeskOrder, type Payouts } from '../../services/payout.ts'
import { type Command, needed, readArguments } from '../command.ts'
import { table, when } from '../output.ts'
import { withStore } from '../store.ts'

const MOST_LISTED = 200

export const withdrawalsList: Command = {
  name: 'withdrawals list',
  usage: 'withdrawals list',
  summary: 'lists the last 200 orders to pay out, newest first',
  async run(args, { out, config }) {
    readArguments(args, [], 0)
    const orders = await atDesk(config(), payouts => payouts.list(MOST_LISTED))
    out.result(
      orders.map(({ withdrawal, payoutTo }) => ({ ...shown(withdrawal), payout_to: maskPayout(payoutTo) })),
      orders.length === 0
        ? ['no withdrawals yet']
        : table(
            ['id', 'status', 'deposited', 'of', 'pay out', 'to', 'created', 'being paid'],
            orders.map(({ withdrawal, payoutTo }) => [
              withdrawal.publicId,
              withdrawal.status,
              `${decimalZec(withdrawal.receivedZat)} ZEC`,
              `${decimalZec(withdrawal.amountZat)} ZEC`,
              `${withdrawal.fiatAmount} ${withdrawal.fiatCurrency}`,
              maskPayout(payoutTo),
              when(withdrawal.createdAt),
              beingPaid(withdrawal),
            ]),
          ),
    )
    return 0
  },
}

export const withdrawalsShow: Command = {
  name: 'withdrawals show',
  usage: 'withdrawals show ID',
  summary: 'shows one order, with where to pay it to in full',
  async run(args, { out, config }) {
    const id = needed(readArguments(args, [], 1).positionals[0], 'ID')
    const { withdrawal, payoutTo } = await atDesk(config(), payouts => payouts.read(id))
    const value = { ...shown(withdrawal), payout_to: payoutTo }
    const lines = Object.entries(value).map(([name, member]) => `${name}: ${member ?? ''}`)
    out.result(value, withdrawal.paying ? [...lines, `being paid ${beingPaid(withdrawal)}`] : lines)
    return 0
  },
}

export const withdrawalsSettle: Command = {
  name: 'withdrawals settle',
  usage: 'withdrawals settle ID --reference R [--override]',
  summary: 'says that an order is paid out, with the proof; --override: although a provider is paying it',
  async run(args, { out, config }) {
    const { positionals, values, flags } = readArguments(args, ['reference'], 1, ['override'])
    const [id, reference] = [needed(positionals[0], 'ID'), needed(values.reference, '--reference')]
    const override = flags.has('override')
    const { withdrawal } = await atDesk(config(), payouts => payouts.settle(id, reference, { override }))
    out.result(shown(withdrawal), [`${withdrawal.publicId} is completed`])
    return 0
  },
}

export const withdrawalsFail: Command = {
  name: 'withdrawals fail',
  usage: 'withdrawals fail ID --reason R [--override]',
  summary: 'says that an order will not be paid out, and why; --override: although a provider is paying it',
  async run(args, { out, config }) {
    const { positionals, values, flags } = readArguments(args, ['reason'], 1, ['override'])
    const [id, reason] = [needed(positionals[0], 'ID'), needed(values.reason, '--reason')]
    const override = flags.has('override')
    const { withdrawal } = await atDesk(config(), payouts => payouts.fail(id, reason, { override }))
    out.result(shown(withdrawal), [`${withdrawal.publicId} has failed`])
    return 0
  },
}

function atDesk<T>(config: Config, work: (payouts: Payouts) => Promise<T>): Promise<T> {
  const log = createLogger(config.logLevel)
  return withStore(config, store => {
    const vault = createVault(config.encryptionKeys, systemRandom)
    return work(createPayouts({ store, clock: systemClock, vault, provider: createManualPayout(log), log }))
  })
}

/** The provider that is paying an order, and since when; empty while no provider is. */
function beingPaid({ paying }: DeskOrder['withdrawal']): string {
  return paying === null ? '' : `by ${paying.provider} since ${when(paying.since)}`
}

function shown(withdrawal: DeskOrder['withdrawal']) {
  return {
    id: withdrawal.publicId,
    status: withdrawal.status,
    amount_zat: withdrawal.amountZat,
    received_zat: withdrawal.receivedZat,
    fiat_currency: withdrawal.fiatCurrency,
    fiat_amount: withdrawal.fiatAmount,
    rate: withdrawal.rate,
    reference: withdrawal.reference,
    reason: withdrawal.reason,
    paying_provider: withdrawal.paying?.provider ?? null,
    paying_since: withdrawal.paying?.since ?? null,
    closed_by: withdrawal.closedBy,
    created_at: withdrawal.createdAt,
    updated_at: withdrawal.updatedAt,
  }
}
