import assert from 'node:assert/strict'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type TestContext, test } from 'node:test'
import { openStore } from '../../../src/store/open.ts'
import { createBillingHarness } from '../../harness/billing.ts'
import { runCommand } from '../../harness/command-line.ts'
import { ManualClock } from '../../harness/manual-clock.ts'
import { scriptedPayout } from '../../harness/scripted-payout.ts'

const SINCE = '2027-01-15 08:00:00 UTC'

/** Creates a database with one withdrawal that a provider is paying, and a runner for commands on it. */
async function start(t: TestContext) {
  const dir = mkdtempSync(join(tmpdir(), 'zatgate-cli-'))
  const store = await openStore(`sqlite:${join(dir, 'zatgate.db')}`)
  t.after(async () => {
    await store.close()
    rmSync(dir, { recursive: true, force: true })
  })
  const provider = scriptedPayout()
  const harness = await createBillingHarness(t, { store, clock: new ManualClock(), provider })
  const { withdrawal, invoice } = await harness.withdrawals.create(await harness.merchant(), {
    amountZat: 100_000_000n,
    fiatCurrency: 'USD',
    payoutTo: 'account 12345678',
    idempotencyKey: undefined,
  })
  await harness.deposit(invoice, invoice.amountZat)
  await harness.mine()
  provider.results.push({ state: 'processing', pollAfterSecs: 300 })
  await harness.payouts.payDue(1)

  const env = { DATA_DIR: dir, ENCRYPTION_KEY: Buffer.alloc(32, 1).toString('base64') }
  const command = (...args: readonly string[]) => runCommand(['withdrawals', ...args], env)
  return { id: withdrawal.publicId, command }
}

test('withdrawals list and show print whose order it is, amounts and times for people, and the paying provider', async t => {
  const { id, command } = await start(t)
  const [headings = '', row = ''] = (await command('list')).out.split('\n')
  assert.match(headings, /BEING PAID$/)
  assert.ok(row.endsWith(`by scripted since ${SINCE}`), row)
  assert.match((await command('show', id)).out, new RegExp(`^being paid by scripted since ${SINCE}$`, 'm'))
  assert.match(headings, /^ID +ACCOUNT +STATUS/)
  const { out } = await command('show', id)
  assert.match(out, /^amount_zat: 100000000 \(1 ZEC\)$/m)
  assert.match(out, new RegExp(`^created_at: ${SINCE}$`, 'm'))
  const shown = JSON.parse((await command('show', id, '--json')).out)
  assert.deepEqual([shown.paying_provider, shown.paying_since], ['scripted', 1_800_000_000])
  assert.match(shown.email, /@example\.org$/)
  assert.ok(row.includes(shown.email), row)
})

for (const [name, ...args] of [
  ['settle', '--reference', 'wire 1'],
  ['fail', '--reason', 'sent back'],
] as const) {
  test(`withdrawals ${name} is refused while a provider is paying, unless --override is given`, async t => {
    const { id, command } = await start(t)
    const refused = await command(name, id, ...args)
    assert.equal(refused.code, 1)
    assert.equal(
      refused.err,
      'zatgate: payout in progress: the provider scripted has been paying this order since 2027-01-15T08:00:00Z; ' +
        'override only when the provider will not pay\n',
    )
    assert.equal((await command(name, id, ...args, '--override=yes')).code, 2)
    const closed = await command(name, id, ...args, '--override', '--json')
    assert.equal(closed.code, 0, closed.err)
    const { status, paying_provider, closed_by } = JSON.parse(closed.out)
    assert.deepEqual(
      [status, paying_provider, closed_by],
      [name === 'settle' ? 'completed' : 'failed', null, 'operator'],
    )
  })
}
