import assert from 'node:assert/strict'
import { test } from 'node:test'
import { ZatgateClient } from '@zatgate/sdk'
import { FREE_PLAN } from '../../src/domain/account/plan.ts'
import { startTestService } from '../harness/service.ts'

/** More than the plan Free allows where plans are sold. */
const INVOICES = 60

test('a shop on a service that neither sells nor lists plans creates 60 invoices in a month', async t => {
  const at = await startTestService({ env: { BILLING_VIEWING_KEY: '', PLANS_FILE: '' } })
  t.after(() => at.close())
  await at.service.accounts.setPlan(at.email, FREE_PLAN, null)
  const client = new ZatgateClient({ baseUrl: at.url, apiKey: at.apiKey, sessionToken: at.sessionToken, retries: 0 })
  for (let made = 0; made < INVOICES; made++) await client.createInvoice({ amount_zat: 1_000 + made })
  const { plan, invoices_this_month: month } = await client.getAccount()
  assert.deepEqual([plan, month.used, month.limit], [FREE_PLAN, INVOICES, null])
})
