import assert from 'node:assert/strict'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type TestContext, test } from 'node:test'
import { openStore } from '../../../src/store/open.ts'
import { createBillingHarness } from '../../harness/billing.ts'
import { runCommand } from '../../harness/command-line.ts'
import { ManualClock } from '../../harness/manual-clock.ts'

const CREATED = '2027-01-15 08:00:00 UTC'

/** Creates a database with one withdrawal to pay out, and a runner for commands on it. */
async function start(t: TestContext) {
  const dir = mkdtempSync(join(tmpdir(), 'zatgate-cli-'))
  const store = await openStore(`sqlite:${join(dir, 'zatgate.db')}`)
  t.after(async () => {
    await store.close()
    rmSync(dir, { recursive: true, force: true })
  })
  const harness = await createBillingHarness(t, { store, clock: new ManualClock() })
  const { withdrawal, invoice } = await harness.withdrawals.create(await harness.merchant(), {
    amountZat: 100_000_000n,
    fiatCurrency: 'USD',
    payoutTo: 'account 12345678',
    idempotencyKey: undefined,
  })
  await harness.deposit(invoice, invoice.amountZat)
  await harness.mine()

  const env = { DATA_DIR: dir, ENCRYPTION_KEY: Buffer.alloc(32, 1).toString('base64') }
  const command = (...args: readonly string[]) => runCommand(['withdrawals', ...args], env)
  return { id: withdrawal.publicId, command }
}

test('withdrawals list and show print whose order it is, and amounts and times for people', async t => {
  const { id, command } = await start(t)
  const [headings = '', row = ''] = (await command('list')).out.split('\n')
  assert.ok(row.trimEnd().endsWith(CREATED), row)
  assert.match(headings, /^ID +ACCOUNT +STATUS/)
  const { out } = await command('show', id)
  assert.match(out, /^amount_zat: 100000000 \(1 ZEC\)$/m)
  assert.match(out, new RegExp(`^created_at: ${CREATED}$`, 'm'))
  const shown = JSON.parse((await command('show', id, '--json')).out)
  assert.deepEqual([shown.status, shown.created_at], ['payout_processing', 1_800_000_000])
  assert.match(shown.email, /@example\.org$/)
  assert.ok(row.includes(shown.email), row)
})

for (const [name, status, ...args] of [
  ['settle', 'completed', '--reference', 'wire 1'],
  ['fail', 'failed', '--reason', 'sent back'],
] as const) {
  test(`withdrawals ${name} closes an order once`, async t => {
    const { id, command } = await start(t)
    const closed = await command(name, id, ...args, '--json')
    assert.equal(closed.code, 0, closed.err)
    assert.equal(closed.json().status, status)
    assert.deepEqual([closed.json().reference, closed.json().reason].filter(Boolean), [args[1]])
    for (const [again, ...note] of [
      ['settle', '--reference', 'wire 2'],
      ['fail', '--reason', 'lost'],
    ] as const) {
      const refused = await command(again, id, ...note)
      assert.equal(refused.code, 1)
      assert.equal(
        refused.err,
        `zatgate: withdrawal not open: the order is ${status}; only orders in payout_processing or needs_attention can be settled or failed\n`,
      )
    }
    assert.deepEqual((await command('show', id, '--json')).json(), {
      ...closed.json(),
      ...{ email: (await command('show', id, '--json')).json().email, payout_to: 'account 12345678' },
    })
  })
}
