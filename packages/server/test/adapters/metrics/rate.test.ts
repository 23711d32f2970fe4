import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Registry } from 'prom-client'
import { addRateGauges } from '../../../src/adapters/metrics/rate.ts'
import type { CurrencyReport } from '../../../src/ports/rate.ts'

test('the gauges show each source and the rate of the currencies in use, and no others', async () => {
  const registry = new Registry()
  const quotes = [
    { source: 'kraken', price: '100.5', at: 0 },
    { source: 'gemini', price: '101', at: 0 },
  ]
  const rate = { currency: 'USD', price: '100.5', fetchedAt: 0, sources: ['gemini', 'kraken'] }
  let reports: CurrencyReport[] = [
    { currency: 'USD', quotes, rate },
    { currency: 'EUR', quotes: [], rate: null },
  ]
  addRateGauges(registry, () => reports)
  const text = await registry.metrics()
  for (const line of [
    'zatgate_rate_quote{source="kraken",currency="USD"} 100.5',
    'zatgate_rate_quote{source="gemini",currency="USD"} 101',
    'zatgate_rate{currency="USD"} 100.5',
    'zatgate_rate{currency="EUR"} 0',
  ])
    assert.ok(text.includes(line), line)
  reports = []
  assert.doesNotMatch(await registry.metrics(), /currency=/)
})
