import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { Rates } from '../src/rates.ts'

let rates: Rates

before(async () => {
  rates = await Rates.start()
})
after(() => rates.close())

async function ticker(query = '?pair=ZECUSD,ZECEUR') {
  const response = await fetch(`${rates.url}/0/public/Ticker${query}`)
  return (await response.json()) as { error: string[]; result: Record<string, Record<string, unknown>> }
}

test('returns the requested pairs under the names of Kraken', async () => {
  rates.setPrice('ZECUSD', '1500.25')
  const { error, result } = await ticker()
  assert.deepEqual(error, [])
  assert.deepEqual(Object.keys(result), ['XZECZUSD', 'XZECZEUR'])
  const row = result.XZECZUSD!
  assert.deepEqual([row.c, row.o], [['1500.25', '0.10000000'], '1500.25'])
  assert.deepEqual(Object.keys(row), ['a', 'b', 'c', 'v', 'p', 't', 'l', 'h', 'o'])
})

test('returns an error for an unknown pair, a missing pair and an unknown method', async () => {
  assert.deepEqual(await ticker('?pair=ZECXXX'), { error: ['EQuery:Unknown asset pair'] })
  assert.deepEqual(await ticker(''), { error: ['EQuery:Unknown asset pair'] })
  assert.deepEqual(await (await fetch(`${rates.url}/0/public/Time`)).json(), { error: ['EGeneral:Unknown method'] })
  assert.throws(() => rates.setPrice('ZECXXX', '1'), /no pair ZECXXX/)
})

test('applies each fault', async t => {
  t.after(() => Object.assign(rates.faults, { down: false, hang: false, response: 'ticker' }))
  rates.faults.response = 'error'
  assert.deepEqual(await ticker(), { error: ['EService:Unavailable'] })
  rates.faults.response = 'no_pair'
  assert.deepEqual(await ticker(), { error: [], result: {} })
  rates.faults.response = 'html'
  await assert.rejects(ticker(), SyntaxError)
  for (const [response, price] of [
    ['zero', '0.00000'],
    ['not_a_number', 'NaN'],
  ] as const) {
    rates.faults.response = response
    assert.equal(((await ticker()).result.XZECZUSD!.c as string[])[0], price)
  }
  rates.faults.hang = true
  await assert.rejects(fetch(rates.url, { signal: AbortSignal.timeout(50) }), { name: 'TimeoutError' })
  rates.faults.down = true
  await assert.rejects(ticker())
})
