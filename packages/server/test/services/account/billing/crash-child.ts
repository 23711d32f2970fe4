import { AppError } from '../../../../src/domain/error.ts'
import type { Store, Tx } from '../../../../src/ports/store.ts'
import { openStore } from '../../../../src/store/open.ts'
import { createBillingHarness } from '../../../harness/billing.ts'
import { ManualClock } from '../../../harness/manual-clock.ts'

/**
 * Runs one merchant's purchases and withdrawals on a database that may contain a part of them already. Payments and blocks
 * are the same in each run. The process is killed with SIGKILL right before the commit of a chosen transaction:
 * `node crash-child.ts <file> <number of the transaction>`.
 */
const [file = '', killAt = '0'] = process.argv.slice(2)
const DAY = 86_400

const store = killAtWrite(await openStore(`sqlite:${file}`), Number(killAt))
const clock = new ManualClock()
const harness = await createBillingHarness({ after: () => {} }, { store, clock })
const { id } = await harness.accounts.findOrCreate('merchant@example.org')

const plan = await harness.billing.subscribe(await harness.account(id), 'Pro', 'plan')
await harness.deposit(plan, plan.amountZat)
await harness.mine()
const { withdrawal, invoice } = await harness.withdrawals.create(await harness.account(id), {
  amountZat: 100_000_000n,
  fiatCurrency: 'USD',
  payoutTo: 'account 12345678',
  idempotencyKey: 'withdrawal',
})
await harness.deposit(invoice, invoice.amountZat)
await harness.mine()
await settle(withdrawal.publicId)
clock.advance(28 * DAY)
await harness.billing.sendRenewalReminders(10)
clock.advance(2 * DAY)
await harness.billing.expirePlans(10)
await store.close()
process.stdout.write('completed\n')

/** A run before this one may have settled the order. */
async function settle(id: string): Promise<void> {
  try {
    await harness.payouts.markPaidOut(id, 'by hand')
  } catch (error) {
    if (!(error instanceof AppError) || error.code !== 'withdrawal_not_open') throw error
  }
}

function killAtWrite(real: Store, at: number): Store {
  let writes = 0

  async function write<T>(work: (tx: Tx) => Promise<T>): Promise<T> {
    writes += 1
    return real.write(writes === at ? async tx => die(await work(tx)) : work)
  }
  return { ...real, write }
}

function die<T>(_result: T): T {
  process.kill(process.pid, 'SIGKILL')
  throw new Error('still alive')
}
