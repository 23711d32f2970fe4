import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { ZcashError, type ZcashErrorCode } from '../src/errors.ts'
import { formatPaymentUri, formatZec, MAX_MONEY, parsePaymentUri, parseZec } from '../src/zip321.ts'
import { zcashErrorWith } from './zcash-error.ts'

const SAPLING = 'ztestsapling10yy2ex5dcqkclhc7z7yrnjq2z6feyjad56ptwlfgmy77dmaqqrl9gyhprdx59qgmsnyfska2kez'
const TRANSPARENT = 'tmEZhbWHTpdKMw5it8YDspUXSMGQyFwovpU'

const text = (bytes: Uint8Array | undefined) => new TextDecoder().decode(bytes)

test('amounts are formatted as ZIP 321 requires, without an exponent or trailing zeros', () => {
  const amounts: [bigint, string][] = [
    [0n, '0'],
    [1n, '0.00000001'],
    [10n, '0.0000001'],
    [50_000_000n, '0.5'],
    [100_000_000n, '1'],
    [123_456_789n, '1.23456789'],
    [100_000_000_000n, '1000'],
    [MAX_MONEY - 1n, '20999999.99999999'],
    [MAX_MONEY, '21000000'],
  ]
  for (const [zat, zec] of amounts) {
    assert.equal(formatZec(zat), zec)
    assert.equal(parseZec(zec), zat)
  }
  for (const zat of [-1n, MAX_MONEY + 1n])
    assert.throws(() => formatZec(zat), zcashErrorWith('invalid_amount', /21000000/))
})

test('every valid amount survives formatting and parsing', () => {
  fc.assert(fc.property(fc.bigInt(0n, MAX_MONEY), zat => parseZec(formatZec(zat)) === zat))
})

test('amounts may have the leading and trailing zeros that ZIP 321 allows, and no other characters', () => {
  for (const valid of ['50.00', '50', '050', '00000000000000000050.00000000'])
    assert.equal(parseZec(valid), 5_000_000_000n)
  const invalid = [
    ...[
      '',
      '.',
      '50.',
      '.5',
      '50,00',
      '50,000.00',
      '0.123456789',
      '1e3',
      '1E3',
      '0x10',
      '-1',
      '+1',
      ' 1',
      '1 ',
      '1\n',
      '１',
    ],
    ...['NaN', 'Infinity', '1.2.3', '1_000', '21000000.00000001', '21000001', '99999999999999999999', '0'.repeat(65)],
  ]
  for (const amount of invalid) assert.throws(() => parseZec(amount), zcashErrorWith('invalid_amount'), amount)
})

test('a URI contains the address first, then the amount and the memo', () => {
  assert.equal(
    formatPaymentUri({ address: SAPLING, amount: 150_000_000n, memo: 'inv_123' }),
    `zcash:${SAPLING}?amount=1.5&memo=aW52XzEyMw`,
  )
  assert.equal(formatPaymentUri({ address: SAPLING }), `zcash:${SAPLING}`)
  assert.equal(
    formatPaymentUri({ address: SAPLING, label: 'A & B', message: '50 % für 50?' }),
    `zcash:${SAPLING}?label=A%20%26%20B&message=50%20%25%20f%C3%BCr%2050%3F`,
  )
})

test('the valid single-payment examples of ZIP 321 parse', () => {
  const { memo, ...rest } = parsePaymentUri(
    `zcash:${SAPLING}?amount=1&memo=VGhpcyBpcyBhIHNpbXBsZSBtZW1vLg&message=Thank%20you%20for%20your%20purchase`,
  )
  assert.deepEqual(rest, { address: SAPLING, amount: 100_000_000n, message: 'Thank you for your purchase' })
  assert.equal(text(memo), 'This is a simple memo.')
})

test('the address may be a parameter, at any one index', () => {
  for (const uri of [`zcash:?address=${SAPLING}&amount=2`, `zcash:?amount.9999=2&address.9999=${SAPLING}`]) {
    assert.deepEqual(parsePaymentUri(uri), { address: SAPLING, amount: 200_000_000n })
  }
})

test('unknown and empty parameters are ignored', () => {
  for (const query of ['', '&', 'foo', 'foo=', 'foo=bar&&b-a+z=%20', 'amountx=5', 'required=1']) {
    assert.deepEqual(parsePaymentUri(`zcash:${SAPLING}?${query}`), { address: SAPLING }, query)
  }
})

test('every invalid example of ZIP 321 and every violation of its grammar is rejected with the reason', () => {
  const other = 'u1other'
  const invalid: [string, ZcashErrorCode, RegExp][] = [
    // examples of the specification
    [`zcash:?amount=3491405.05201255&address.1=${SAPLING}&amount.1=5740296.87793245`, 'invalid_uri', /more than one/],
    [`zcash:?address=${TRANSPARENT}&amount=1&amount.1=2&address.2=${SAPLING}`, 'invalid_uri', /more than one/],
    [`zcash:?address.0=${SAPLING}&amount.0=2`, 'invalid_uri', /malformed/],
    [`zcash:?amount=1.234&amount=2.345&address=${TRANSPARENT}`, 'invalid_uri', /amount twice/],
    [`zcash:?amount.1=1.234&amount.1=2.345&address.1=${TRANSPARENT}`, 'invalid_uri', /amount twice/],
    [`zcash:${TRANSPARENT}?amount=1%30`, 'invalid_amount', /decimal ZEC/],
    [`zcash:${TRANSPARENT}?%61mount=1`, 'invalid_uri', /malformed/],
    [`zcash:%74mEZhbWHTpdKMw5it8YDspUXSMGQyFwovpU?amount=1`, 'invalid_uri', /letters and digits/],
    [`zcash://${TRANSPARENT}?amount=1`, 'invalid_uri', /letters and digits/],
    // not exactly one payment
    [`zcash:?address=${SAPLING}&address.1=${other}`, 'invalid_uri', /more than one/],
    [`zcash:${SAPLING}?amount.1=1`, 'invalid_uri', /more than one/],
    ['zcash:', 'invalid_uri', /no address/],
    ['zcash:?', 'invalid_uri', /no address/],
    ['zcash:?amount=1', 'invalid_uri', /no address/],
    // repeated parameters
    [`zcash:${SAPLING}?address=${SAPLING}`, 'invalid_uri', /address twice/],
    [`zcash:${SAPLING}?memo=&memo=`, 'invalid_uri', /memo twice/],
    [`zcash:${SAPLING}?foo=1&foo=2`, 'invalid_uri', /foo twice/],
    // not supported
    [`zcash:${SAPLING}?req-foo`, 'invalid_uri', /req-foo/],
    [`zcash:${SAPLING}?req-amount=1`, 'invalid_uri', /req-amount/],
    [`zcash:${SAPLING}?asset_id=${'A'.repeat(88)}`, 'invalid_uri', /asset other than ZEC/],
    // grammar
    [`${SAPLING}?amount=1`, 'invalid_uri', /start with zcash:/],
    [`bitcoin:${SAPLING}?amount=1`, 'invalid_uri', /start with zcash:/],
    [`zcash:${SAPLING}?amount.01=1`, 'invalid_uri', /malformed/],
    [`zcash:${SAPLING}?amount.=1`, 'invalid_uri', /malformed/],
    [`zcash:${SAPLING}?amount.10000=1`, 'invalid_uri', /malformed/],
    [`zcash:${SAPLING}?1foo=1`, 'invalid_uri', /malformed/],
    [`zcash:${SAPLING}?=1`, 'invalid_uri', /malformed/],
    [`zcash:${SAPLING}?amount`, 'invalid_uri', /amount has no value/],
    [`zcash:${SAPLING}?amount=`, 'invalid_amount', /decimal ZEC/],
    [`zcash:${SAPLING}?amount=.5`, 'invalid_amount', /decimal ZEC/],
    [`zcash:${SAPLING}?amount=21000000.1`, 'invalid_amount', /21000000/],
    [`zcash:${SAPLING}?label=a=b`, 'invalid_uri', /label contains a character/],
    [`zcash:${SAPLING}?label=a b`, 'invalid_uri', /label contains a character/],
    [`zcash:${SAPLING}?label=a#b`, 'invalid_uri', /label contains a character/],
    [`zcash:${SAPLING}?label=a\n`, 'invalid_uri', /label contains a character/],
    [`zcash:${SAPLING}?foo=%zz`, 'invalid_uri', /foo contains a character/],
    [`zcash:${SAPLING}?label=%`, 'invalid_uri', /label contains a character/],
    [`zcash:${SAPLING}?label=%C3`, 'invalid_uri', /label is not UTF-8/],
    [`zcash:${SAPLING}?message=%ED%A0%80`, 'invalid_uri', /message is not UTF-8/],
    [`zcash:${SAPLING}#?amount=1`, 'invalid_uri', /letters and digits/],
    [`zcash:${SAPLING}?foo=${'a'.repeat(8192)}`, 'invalid_uri', /longer than 8192/],
    // memos
    [`zcash:${SAPLING}?memo=aW52XzEyMw==`, 'invalid_uri', /memo contains a character/],
    [`zcash:${SAPLING}?memo=aW52XzEyMw%3D%3D`, 'invalid_memo', /base64url/],
    [`zcash:${SAPLING}?memo=a+b`, 'invalid_memo', /base64url/],
    [`zcash:${SAPLING}?memo=aW52XzEyMx`, 'invalid_memo', /base64url/],
    [`zcash:${SAPLING}?memo=A`, 'invalid_memo', /base64url/],
    [`zcash:${SAPLING}?memo=${'A'.repeat(684)}`, 'memo_too_long', /512/],
    [`zcash:${TRANSPARENT}?memo=AA`, 'invalid_uri', /cannot receive a memo/],
    // Sprout
    [
      `zcash:zcBqWB8VDjVER7uLKb4oHp2v54v2a1jKd9o4FY7mdgQ3gDfG8MiZLvdQga8JK3t58yjXGjQHzMzkGUxSguSs6ZzqpgTNiZG`,
      'invalid_uri',
      /Sprout/,
    ],
    [
      `zcash:ztJ1EWLKcGwF2S4NA17pAJVdco8Sdkz4AQPxt1cLTEfNuyNswJJc2BbBqYrsRZsp31xbVZwhF7c7a2L9jsF3p3ZwRWpqqyS`,
      'invalid_uri',
      /Sprout/,
    ],
  ]
  for (const [uri, code, reason] of invalid)
    assert.throws(() => parsePaymentUri(uri), zcashErrorWith(code, reason), uri)
})

test('a memo of 512 bytes is accepted and one of 513 bytes is rejected, in formatting and parsing', () => {
  const memo = new Uint8Array(512).fill(0xff)
  assert.deepEqual(parsePaymentUri(formatPaymentUri({ address: SAPLING, memo })).memo, memo)
  assert.throws(
    () => formatPaymentUri({ address: SAPLING, memo: new Uint8Array(513) }),
    zcashErrorWith('memo_too_long'),
  )
  assert.throws(() => formatPaymentUri({ address: SAPLING, memo: 'é'.repeat(257) }), zcashErrorWith('memo_too_long'))
})

test('formatting rejects the input that parsing would reject', () => {
  assert.throws(() => formatPaymentUri({ address: '' }), zcashErrorWith('invalid_uri'))
  assert.throws(() => formatPaymentUri({ address: 'a?b' }), zcashErrorWith('invalid_uri'))
  assert.throws(() => formatPaymentUri({ address: TRANSPARENT, memo: 'x' }), zcashErrorWith('invalid_uri'))
  assert.throws(() => formatPaymentUri({ address: SAPLING, amount: -1n }), zcashErrorWith('invalid_amount'))
  assert.throws(() => formatPaymentUri({ address: SAPLING, memo: '\ud800' }), zcashErrorWith('invalid_memo'))
  assert.throws(() => formatPaymentUri({ address: SAPLING, label: '\ud800' }), zcashErrorWith('invalid_uri'))
  assert.throws(() => formatPaymentUri({ address: SAPLING, message: 'x'.repeat(9000) }), zcashErrorWith('invalid_uri'))
})

const wellFormed = fc.string({ unit: 'binary', maxLength: 100 })
const requestArbitrary = fc.record(
  {
    address: fc.stringMatching(/^u1[a-z0-9]{1,200}$/),
    amount: fc.bigInt(0n, MAX_MONEY),
    memo: fc.uint8Array({ maxLength: 512 }),
    label: wellFormed,
    message: wellFormed,
  },
  { requiredKeys: ['address'], noNullPrototype: true },
)

test('a formatted request parses to the same request', () => {
  fc.assert(
    fc.property(requestArbitrary, request => assert.deepEqual(parsePaymentUri(formatPaymentUri(request)), request)),
  )
})

const fragment = fc.oneof(
  fc.constantFrom(
    'zcash:',
    SAPLING,
    TRANSPARENT,
    '?',
    '&',
    '=',
    '.1',
    'amount',
    'memo',
    'label',
    'req-',
    '%41',
    '%ff',
    '#',
  ),
  fc.string({ unit: 'binary', maxLength: 5 }),
)

test('random URIs parse or are rejected with a ZcashError', () => {
  fc.assert(
    fc.property(fc.array(fragment, { maxLength: 12 }), fragments => {
      try {
        assert.match(parsePaymentUri(`zcash:${fragments.join('')}`).address, /^[A-Za-z0-9]+$/)
      } catch (error) {
        assert.ok(error instanceof ZcashError, String(error))
      }
    }),
    { numRuns: 3000 },
  )
})

test('the longest URI of one repeated character is rejected within a tenth of a second', () => {
  for (const character of ['a', '%', '0', '.', '&', '=', '%41']) {
    const start = performance.now()
    for (const prefix of ['zcash:', 'zcash:a?', 'zcash:a?a=', 'zcash:a?amount=', 'zcash:a?memo=']) {
      const uri = (prefix + character.repeat(8192)).slice(0, 8192)
      assert.throws(() => parsePaymentUri(`${uri.slice(0, -1)} `), ZcashError)
    }
    assert.ok(performance.now() - start < 100)
  }
})
