import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { startTestService } from '../harness/service.ts'
import { deployText } from './files.ts'

const TOKEN = 'metrics-token-of-the-test'

/** Scrapes the port of the health checks. */
async function scrape(token = TOKEN): Promise<Response> {
  const url = `http://127.0.0.1:${service.service.healthPort}/metrics`
  return fetch(url, { headers: { authorization: `Bearer ${token}` } })
}

const service = await startTestService({ env: { METRICS_TOKEN: TOKEN, HEALTH_PORT: '0' } })
const scraped = await (await scrape()).text()
after(() => service.close())

/** The types of all metrics of a response, by name. */
function typesOf(text: string): Map<string, string> {
  return new Map([...text.matchAll(/^# TYPE (\w+) (\w+)$/gm)].map(([, name = '', type = '']) => [name, type]))
}

/** The metrics that an expression reads: of histograms without the suffix of their series. */
function metricsIn(text: string): string[] {
  const names = [...text.matchAll(/\b(?:zatgate|nodejs|process)_[a-z0-9_]+/g)].map(([name]) => name)
  return [...new Set(names.map(name => name.replace(/_(?:bucket|count|sum)$/, '')))]
}

for (const file of ['grafana/zatgate.json', 'prometheus/alerts.yml'])
  test(`every metric that ${file} reads is in a response of /metrics`, () => {
    const types = typesOf(scraped)
    const used = metricsIn(deployText(file))
    assert.ok(used.length > 10)
    assert.deepEqual(
      used.filter(name => !types.has(name)),
      [],
    )
  })

test('the dashboard shows every metric of the service', () => {
  const shown = new Set(metricsIn(deployText('grafana/zatgate.json')))
  const missing = [...typesOf(scraped).keys()].filter(name => name.startsWith('zatgate_') && !shown.has(name))
  assert.deepEqual(missing, [])
})

test('counters end in _total, histograms in their unit, and nothing else ends in _total', () => {
  for (const [name, type] of typesOf(scraped)) {
    if (!name.startsWith('zatgate_')) continue
    assert.equal(name.endsWith('_total'), type === 'counter', name)
    if (type === 'histogram') assert.match(name, /_seconds$/)
  }
})

test('an invoice, a mail and a transaction are counted', async () => {
  const response = await fetch(`${service.url}/v1/invoices`, {
    method: 'POST',
    headers: { authorization: `Bearer ${service.apiKey}`, 'content-type': 'application/json' },
    body: JSON.stringify({ amount_zat: 1000 }),
  })
  const { id } = (await response.json()) as { id: string }
  const text = await (await scrape()).text()
  assert.match(text, /^zatgate_invoices_created_total\{purpose="sale"\} 1$/m)
  assert.match(text, /^zatgate_database_transaction_seconds_count\{kind="batched_write"\} [1-9]/m)
  assert.match(text, /^zatgate_http_request_seconds_count\{.*route="\/v1\/invoices".*\} 1$/m)
  assert.match(text, /^zatgate_mails_waiting [0-9]+$/m)
  assert.ok(!text.includes(id.slice(0, 8)))
})

test('the metrics need their token', async () => {
  assert.match(scraped, /^zatgate_chain_tip_height /m)
  const refused = await scrape('wrong')
  await refused.arrayBuffer()
  assert.equal(refused.status, 401)
})
