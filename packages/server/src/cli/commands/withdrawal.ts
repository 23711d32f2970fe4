import { createVault } from '../../adapters/crypto/vault.ts'
import { createManualPayout } from '../../adapters/payout/manual.ts'
import { systemClock } from '../../adapters/system/clock.ts'
import { createLogger } from '../../adapters/system/logger.ts'
import { systemRandom } from '../../adapters/system/random.ts'
import type { Config } from '../../config/settings.ts'
import { formatZec } from '../../domain/money.ts'
import { consensusParams } from '../../domain/network-upgrade.ts'
import { formatUtc } from '../../domain/time.ts'
import { maskPayoutTo } from '../../domain/withdrawal.ts'
import { NO_METRICS } from '../../ports/metrics.ts'
import { createOutbox } from '../../services/outbox.ts'
import { createPayouts, type Payouts } from '../../services/payout.ts'
import type { PayoutOrder } from '../../services/payout-order.ts'
import { createSetAsides } from '../../services/set-aside.ts'
import { createWithdrawalTransition } from '../../services/withdrawal-transition.ts'
import type { Command } from '../command.ts'
import { type Output, table } from '../output.ts'
import { requireDatabase, withStore } from '../store.ts'
import { parseArguments, requireValue } from '../usage.ts'

const MAX_LISTED = 200

export const withdrawalsList: Command = {
  name: 'withdrawals list',
  usage: 'withdrawals list',
  summary: 'lists the latest 200 withdrawals, newest first',
  arguments: [],
  example: 'withdrawals list',
  async run(args, { out, config }) {
    parseArguments(args, [], 0)
    const orders = await withPayouts({ config: config(), out }, payouts => payouts.list(MAX_LISTED))
    out.result(
      orders.map(({ withdrawal, payoutTo, email }) => {
        return { ...toJson(withdrawal), email, payout_to: maskPayoutTo(payoutTo) }
      }),
      orders.length === 0
        ? ['no withdrawals yet']
        : table(
            ['id', 'account', 'status', 'deposited', 'amount', 'payout', 'to', 'created', 'being paid'],
            orders.map(({ withdrawal, payoutTo, email }) => [
              withdrawal.publicId,
              email,
              withdrawal.status,
              `${formatZec(withdrawal.receivedZat)} ZEC`,
              `${formatZec(withdrawal.amountZat)} ZEC`,
              `${withdrawal.fiatAmount} ${withdrawal.fiatCurrency}`,
              maskPayoutTo(payoutTo),
              formatUtc(withdrawal.createdAt),
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
  summary: 'shows one withdrawal with its full payout destination',
  arguments: [['ID', 'the id of the withdrawal']],
  example: 'withdrawals show 5d4c1c0e-3c53-4b0e-8a51-2f0c4f6f7b10',
  async run(args, { out, config }) {
    const id = requireValue(parseArguments(args, [], 1).positionals[0], 'ID')
    const { withdrawal, payoutTo, email } = await withPayouts({ config: config(), out }, payouts => payouts.read(id))
    const value = { ...toJson(withdrawal), email, payout_to: payoutTo }
    const lines = Object.entries(value).map(([name, member]) => `${name}: ${forPeople(name, member)}`)
    out.result(value, withdrawal.activePayout ? [...lines, `being paid ${beingPaid(withdrawal)}`] : lines)
    return 0
  },
}

export const withdrawalsSettle: Command = {
  name: 'withdrawals settle',
  usage: 'withdrawals settle ID --reference R [--override]',
  summary: 'marks a withdrawal as paid out, with its payment reference',
  arguments: [
    ['ID', 'the id of the withdrawal'],
    ['--reference R', 'the reference of your payment'],
    ['--override', 'even while a payout provider is paying the order'],
  ],
  example: 'withdrawals settle 5d4c1c0e-3c53-4b0e-8a51-2f0c4f6f7b10 --reference SEPA-2026-117',
  async run(args, { out, config }) {
    const { positionals, values, flags } = parseArguments(args, ['reference'], 1, ['override'])
    const [id, reference] = [requireValue(positionals[0], 'ID'), requireValue(values.reference, '--reference')]
    const override = flags.has('override')
    const { withdrawal } = await withPayouts({ config: config(), out }, payouts =>
      payouts.markPaidOut(id, reference, { override }),
    )
    out.result(toJson(withdrawal), [`${withdrawal.publicId} is marked as completed`])
    return 0
  },
}

export const withdrawalsFail: Command = {
  name: 'withdrawals fail',
  usage: 'withdrawals fail ID --reason R [--override]',
  summary: 'marks a withdrawal as failed, with the reason',
  arguments: [
    ['ID', 'the id of the withdrawal'],
    ['--reason R', 'the reason, which the merchant sees'],
    ['--override', 'even while a payout provider is paying the order'],
  ],
  example: 'withdrawals fail 5d4c1c0e-3c53-4b0e-8a51-2f0c4f6f7b10 --reason "account closed"',
  async run(args, { out, config }) {
    const { positionals, values, flags } = parseArguments(args, ['reason'], 1, ['override'])
    const [id, reason] = [requireValue(positionals[0], 'ID'), requireValue(values.reason, '--reason')]
    const override = flags.has('override')
    const { withdrawal } = await withPayouts({ config: config(), out }, payouts =>
      payouts.markFailed(id, reason, { override }),
    )
    out.result(toJson(withdrawal), [`${withdrawal.publicId} is marked as failed`])
    return 0
  },
}

function withPayouts<T>(
  { config, out }: { config: Config; out: Output },
  work: (payouts: Payouts) => Promise<T>,
): Promise<T> {
  requireDatabase(config)
  if (config.encryptionKeys.length === 0)
    throw new Error('ENCRYPTION_KEY is not set, and this DATA_DIR has no key of a sandbox')
  const log = createLogger(config.logLevel, { format: config.logFormat })
  return withStore(
    config,
    async store => {
      const vault = createVault(config.encryptionKeys, systemRandom)
      const transitionWithdrawal = createWithdrawalTransition({ outbox: createOutbox({ random: systemRandom }) })
      const provider = createManualPayout(log)
      const params = consensusParams(config.network, config.regtest)
      const deps = { store, clock: systemClock, log }
      const setAsides = createSetAsides({ ...deps, metrics: NO_METRICS })
      return work(createPayouts({ ...deps, transitionWithdrawal, vault, provider, params, setAsides }))
    },
    { out },
  )
}

/** A member of the JSON as a person reads it: amounts in ZEC, times in UTC. */
function forPeople(name: string, value: string | number | bigint | null): string {
  if (value === null) return ''
  if (name.endsWith('_zat')) return `${value} (${formatZec(BigInt(value))} ZEC)`
  return /_(at|since)$/.test(name) ? formatUtc(Number(value)) : String(value)
}

/** The provider that is paying a withdrawal and its start time; empty when no provider is paying. */
function beingPaid({ activePayout }: PayoutOrder['withdrawal']): string {
  return activePayout === null ? '' : `by ${activePayout.provider} since ${formatUtc(activePayout.since)}`
}

function toJson(withdrawal: PayoutOrder['withdrawal']) {
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
    paying_provider: withdrawal.activePayout?.provider ?? null,
    paying_since: withdrawal.activePayout?.since ?? null,
    closed_by: withdrawal.closedBy,
    created_at: withdrawal.createdAt,
    updated_at: withdrawal.updatedAt,
  }
}
