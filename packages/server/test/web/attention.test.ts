import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Plan } from '../../src/domain/account/plan.ts'
import type { Invoice } from '../../src/domain/sale/invoice.ts'
import type { AccountOverview } from '../../src/services/account/account.ts'
import type { DashboardSummary } from '../../src/services/sale/dashboard.ts'
import { accountItems, invoiceItems, swapItems } from '../../src/web/attention.ts'
import { attentionCard } from '../../src/web/components/attention.ts'

const NOTHING = {
  reorged: [],
  overpaid: [],
  late: [],
  underpaidTotal: 0,
  endingKeys: [],
  setupSteps: { viewingKey: true, invoice: true, apiKey: true },
} as unknown as DashboardSummary

const PLAN: Plan = { name: 'Pro', monthlyInvoiceLimit: 1_000, priceZat: 1n, periodDays: 30 }
const used = (count: number) => ({ usedThisMonth: count, plan: PLAN, resetsAt: 1_700_000_000 }) as AccountOverview
const linksOf = (items: Parameters<typeof attentionCard>[0]) => items.map(({ link }) => link?.href ?? null)

test('nothing needs attention on an account in order', () => {
  assert.deepEqual([...invoiceItems(NOTHING), ...swapItems([], []), ...accountItems(NOTHING, used(799), true)], [])
})

test('a plan is named from 80 % of its limit on, and when it is used up', () => {
  const [near] = accountItems(NOTHING, used(800), true)
  assert.equal(near?.what, 'You have used 800 of the 1,000 invoices of the Pro plan for this month.')
  const [reached] = accountItems(NOTHING, used(1_000), true)
  assert.equal(reached?.what, 'You have used all 1,000 invoices of the Pro plan for this month.')
  assert.deepEqual(linksOf([near!, reached!]), ['/billing', '/billing'])
})

test('each problem says how many there are, and links to where it is solved', () => {
  const key = { name: '<till>', rights: { expiresAt: 1_700_000_000 } }
  const summary = { ...NOTHING, underpaidTotal: 1_001, endingKeys: [key] } as unknown as DashboardSummary
  const items = [...invoiceItems(summary), ...accountItems(summary, used(0), false)]
  assert.deepEqual(linksOf(items), ['/invoices?status=underpaid', '/api-keys', '/webhook'])
  const shown = String(attentionCard(items))
  assert.match(shown, /1,000\+ invoices closed with too little paid\./)
  assert.match(shown, /The API key “<bdi>&lt;till&gt;<\/bdi>” ends soon/)
})

test('failed swaps with a deposit are listed with links to their invoices', () => {
  const invoice = (publicId: string) => ({ publicId, orderId: null }) as Invoice
  assert.deepEqual(linksOf(swapItems([invoice('one')], [])), ['/invoices/one'])
  const shown = String(attentionCard(swapItems([invoice('one'), invoice('two')], [])))
  assert.match(shown, /2 swaps failed, and the provider has the deposit/)
  assert.match(shown, /href="\/invoices\/two"/)
})
