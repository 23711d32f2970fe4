import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { test } from 'node:test'
import fc from 'fast-check'
import { codeHashInput, generateCode, parseCode } from '../../../src/domain/account/sign-in.ts'

const uint32 = (value: number) => {
  const bytes = Buffer.alloc(4)
  bytes.writeUInt32BE(value)
  return bytes
}

test('a code has six digits, with leading zeros', () => {
  assert.equal(
    generateCode(() => uint32(42)),
    '000042',
  )
  assert.equal(
    generateCode(() => uint32(1_999_999)),
    '999999',
  )
})

test('a random value that would bias the codes is rejected', () => {
  const draws = [4_294_967_295, 4_294_000_000, 7]
  assert.equal(
    generateCode(() => uint32(draws.shift() as number)),
    '000007',
  )
})

test('the first digits of 20,000 codes are evenly distributed', () => {
  const counts = Array<number>(10).fill(0)
  for (let i = 0; i < 20_000; i++) {
    const digit = Number(generateCode(count => randomBytes(count))[0])
    counts[digit] = (counts[digit] as number) + 1
  }
  // Expected: 2,000 of each, standard deviation 42.
  for (const count of counts) assert.ok(Math.abs(count - 2_000) < 300, `${counts}`)
})

test('a code parses with spaces and dashes; other text does not', () => {
  for (const text of ['123456', ' 123 456 ', '123-456', '12\u201334\u00a056']) assert.equal(parseCode(text), '123456')
  for (const text of ['', '12345', '1234567', '12345a', '１２３４５', '+12345', '1e5000', '１２３４５a', '½23456'])
    assert.equal(parseCode(text), null, text)
})

test('a code parses as keyboards and mail programs give it', () => {
  for (const text of [
    '１２３４５６', // the full width of Japanese and Chinese keyboards
    '１２３　４５６',
    '١٢٣٤٥٦', // Arabic
    '۱۲۳۴۵۶', // Persian
    '१२३४५६', // Hindi
    '１２３456',
    '\u202a123456\u202c', // marks of direction, from a mail in Arabic or Hebrew
    '\u200e123456',
    '123\u200b456', // a zero-width space
    '\ufeff123456',
    '123\u00ad456', // a soft hyphen
    '123\u2212456', // a minus
    '123－456',
    '𝟏𝟐𝟑𝟒𝟓𝟔', // mathematical digits
  ])
    assert.equal(parseCode(text), '123456', JSON.stringify(text))
  assert.equal(parseCode('１２３４５ ６７８９０'), '1234567890')
})

test('equal codes of different rows have different hash inputs', () => {
  fc.assert(
    fc.property(fc.nat(), fc.nat(), (a, b) => a === b || codeHashInput(a, '123456') !== codeHashInput(b, '123456')),
  )
})
