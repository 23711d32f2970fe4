import assert from 'node:assert/strict'
import { test } from 'node:test'
import { SET_ASIDE_KINDS } from '../../src/domain/set-aside.ts'
import { startSandboxService } from '../harness/service.ts'
import { withoutMarks } from './buyer-view.ts'
import { visit } from './visit.ts'

test('the overview tells the owner what is set aside, and no other account', async t => {
  const harness = await startSandboxService()
  t.after(() => harness.close())
  const { accounts, sessions, store, viewingKeys } = harness.service
  const cookieOf = async (email: string) => {
    const account = await accounts.findOrCreate(email)
    return { account, cookie: `__Host-zatgate=${(await sessions.create(account, 'test')).token}` }
  }
  const mine = await cookieOf('shop@example.org')
  const other = await cookieOf('other@example.org')
  const { account } = await viewingKeys.set(mine.account, harness.sandbox.demoViewingKey)
  const entry = { error: 'c4n4ry', failures: 1, firstAt: 60, nextAttemptAt: 4_000_000_000, fromHeight: null }
  await store.write(async tx => {
    for (const kind of SET_ASIDE_KINDS) {
      const owner =
        kind === 'scan_key' ? { accountId: null, rowId: account.viewingKeyId } : { accountId: account.id, rowId: null }
      await tx.setAside.put({ ...entry, ...owner, kind, reference: 'a' })
    }
  })
  const page = (await visit(harness, 'GET /overview', { cookie: mine.cookie })).text
  const text = withoutMarks(page).replace(/\s+/g, ' ')
  assert.match(text, /None of these invoices expires meanwhile, and no payment is lost/)
  assert.match(text, /Your webhook is not called, because its signing secret cannot be read/)
  assert.equal(text.match(/Since <time/g)?.length, SET_ASIDE_KINDS.length)
  assert.ok(!text.includes('c4n4ry'), 'the error is for the operator')
  const others = withoutMarks((await visit(harness, 'GET /overview', { cookie: other.cookie })).text)
  assert.doesNotMatch(others, /Since <time|cannot be/)
})
