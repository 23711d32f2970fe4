import assert from 'node:assert/strict'
import { test } from 'node:test'
import {
  InvalidResponse,
  parseAssets,
  parseErrorMessage,
  parseQuote,
  parseStatus,
} from '../../../src/adapters/oneclick/responses.ts'

const asset = (i: number) => ({
  assetId: `nep141:asset${i}.near`,
  decimals: 8,
  blockchain: 'near',
  symbol: `A${i}`,
  price: 1,
  priceUpdatedAt: '2026-01-01T00:00:00.000Z',
  contractAddress: `asset${i}.near`,
})

/** How often `JSON.parse` is called by a parser that refuses its text. */
function parsedObjects(parse: () => unknown): number {
  const { parse: original } = JSON
  let calls = 0
  JSON.parse = (...args: Parameters<typeof original>) => {
    calls += 1
    return original(...args)
  }
  try {
    assert.throws(parse, InvalidResponse)
  } finally {
    JSON.parse = original
  }
  return calls
}

test('a list with invalid, deprecated and very long entries keeps the valid ones', () => {
  const entries = [
    asset(1),
    null,
    7,
    [],
    { ...asset(2), symbol: 'x'.repeat(100_000) },
    { ...asset(3), assetId: 'nep141:'.repeat(10_000) },
    { ...asset(4), blockchain: undefined },
    { ...asset(5), decimals: -1 },
    { ...asset(6), symbol: 'OLD_(DEPRECATED)' },
    asset(7),
  ]
  assert.deepEqual(
    parseAssets(JSON.stringify(entries)).map(({ symbol }) => symbol),
    ['A1', 'A7'],
  )
})

test('a list of 2,000 assets is read, one of more is refused', () => {
  const list = (count: number) => JSON.stringify(Array.from({ length: count }, (_, i) => asset(i)))
  assert.equal(parseAssets(list(2_000)).length, 2_000)
  assert.throws(() => parseAssets(list(2_001)), InvalidResponse)
})

test('a response with very many items is refused before it is parsed', () => {
  const texts = [`[${'{},'.repeat(300_000)}{}]`, '['.repeat(1_000_000), `[${'{"a":1,"b":2},'.repeat(60_000)}{}]`]
  for (const text of texts) {
    assert.equal(
      parsedObjects(() => parseAssets(text)),
      0,
    )
    for (const parse of [parseQuote, parseStatus])
      assert.equal(
        parsedObjects(() => parse(text)),
        0,
      )
    assert.equal(parseErrorMessage(text), null)
  }
})

test('of an error with very many messages, the first ones are kept, each cut', () => {
  const message = Array.from({ length: 900 }, (_, i) => `reason ${i}`)
  assert.equal(parseErrorMessage(JSON.stringify({ message }))?.split('; ').length, 10)
  assert.equal(parseErrorMessage(JSON.stringify({ message: ['x'.repeat(50_000), 'y'] }))?.length, 500)
})
