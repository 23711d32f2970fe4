import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { ChainProblem } from '../../src/domain/chain/chain-problem.ts'
import { startSandboxService } from '../harness/service.ts'
import { fastClock } from '../harness/skewed-clock.ts'
import { until } from '../harness/until.ts'
import { withoutMarks } from './buyer-view.ts'
import { visit } from './visit.ts'

const HOUR = 3_600

test('the overview explains why no invoice expires: no new blocks from the chain source, or a wrong clock', async t => {
  const clock = fastClock()
  const harness = await startSandboxService({ clock, sandboxOptions: { network: 'test' } })
  t.after(() => harness.close())
  harness.sandbox.chain.mine(12)
  await until('the chain to be synced', async () => {
    const tip = await harness.service.store.read(tx => tx.chain.tip())
    return tip?.height === harness.sandbox.chain.height
  })
  const account = await harness.service.accounts.findOrCreate('shop@example.org')
  const { token } = await harness.service.sessions.create(account, 'test')
  const overview = async () =>
    withoutMarks((await visit(harness, 'GET /overview', { cookie: `__Host-zatgate=${token}` })).text)
  assert.doesNotMatch(await overview(), /No invoice expires/)
  clock.advance(1_600)
  assert.match(
    await overview(),
    /The chain source has reported no new block for 2\d minutes; blocks are mined about every 75 seconds\. No invoice expires/,
  )
  clock.advance(2 * HOUR)
  assert.match(await overview(), /The clock of this service and the newest blocks are hours apart/)
})

test('the overview reports problems of the chain source and their effect on invoices', async t => {
  const harness = await startSandboxService()
  t.after(() => harness.close())
  const { store } = harness.service
  await until('the chain to be synced', () => store.read(tx => tx.chain.tip()))
  const account = await harness.service.accounts.findOrCreate('shop@example.org')
  const { token } = await harness.service.sessions.create(account, 'test')
  const overview = async (...problems: ChainProblem[]) => {
    await store.write(tx => tx.chain.setProblems(problems, 1))
    return withoutMarks((await visit(harness, 'GET /overview', { cookie: `__Host-zatgate=${token}` })).text)
  }
  assert.match(
    await overview({ problem: 'mempool_unreadable' }),
    /does not provide unconfirmed transactions\. Payments appear only/,
  )
  assert.match(
    await overview({ problem: 'upgrade_not_followed', upgrade: 'NU7' }),
    /The chain source does not support the network upgrade NU7/,
  )
  assert.match(await overview({ problem: 'not_synced', blocks: 44 }), /is 44 blocks behind its node/)
  assert.doesNotMatch(await overview({ problem: 'estimated_lag', blocks: 300 }), /[Cc]hain source|300/)
  assert.doesNotMatch(await overview(), /chain source/)
})
