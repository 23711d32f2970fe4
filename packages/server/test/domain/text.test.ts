import assert from 'node:assert/strict'
import { test } from 'node:test'
import {
  escapeUnprintable,
  isPrintable,
  requirePrintableLine,
  showUnprintable,
  withoutUnprintable,
} from '../../src/domain/text.ts'

const UNPRINTABLE: Readonly<Record<string, string>> = {
  'a NUL': '\0',
  'an escape of a terminal': '\x1b',
  'a C1 control': '\x9b',
  'a line feed': '\n',
  'a line separator': '\u2028',
  'a paragraph separator': '\u2029',
  'a right-to-left override': '\u202e',
  'a right-to-left isolate': '\u2067',
  'a right-to-left mark': '\u200f',
  'an Arabic letter mark': '\u061c',
  'a zero-width space': '\u200b',
  'a zero-width joiner': '\u200d',
  'a word joiner': '\u2060',
  'a byte order mark': '\ufeff',
  'a soft hyphen': '\u00ad',
  'a tag': '\u{e0041}',
  'a Hangul filler': '\u3164',
  'a combining grapheme joiner': '\u034f',
  'a variation selector after a letter': '\ufe0f',
  'an ideographic variation selector': '\u{e0100}',
  'a blank Braille pattern': '\u2800',
  'half of a surrogate pair': '\ud83d',
}

test('text with characters that cannot be seen or that reorder others, is refused by the name of its field', () => {
  for (const [what, character] of Object.entries(UNPRINTABLE)) {
    assert.ok(!isPrintable(`a${character}b`), what)
    assert.throws(() => requirePrintableLine('payout_to', `a${character}b`, 100), {
      code: 'invalid_payout_to',
      extra: { detail: '1 to 100 characters on one line, not blank, without invisible ones' },
    })
  }
  for (const blank of ['', ' ', '\u00a0', '\u3000']) assert.throws(() => requirePrintableLine('name', blank, 100))
  assert.throws(() => requirePrintableLine('name', 'x'.repeat(101), 100))
})

test('the scripts of many languages, accents and pictographs are accepted', () => {
  for (const text of [
    'shop',
    'Café au lait',
    'חנות',
    'متجر',
    '店舗 １',
    'दुकान',
    '🛒',
    '❤️ shop',
    'e\u0301',
    'x'.repeat(100),
  ])
    requirePrintableLine('name', text, 100)
})

test('stored text is shown with its unprintable characters as code points, and keeps its lines', () => {
  assert.equal(showUnprintable('a\u202eb\u{e0041}\0\ud83d'), 'a\\u{202e}b\\u{e0041}\\u{0}\\u{d83d}')
  assert.equal(showUnprintable('{\n\t"a": 1\r\n}'), '{\n\t"a": 1\r\n}')
  assert.equal(withoutUnprintable(' \u200bu1\u00adabc\ufeff '), 'u1abc')
})

test('escaped JSON is the same value in visible characters', () => {
  const value = { name: 'a\u202eb\u{e0041}\u2028', plain: 'é\n' }
  const json = escapeUnprintable(JSON.stringify(value))
  assert.ok(isPrintable(json))
  assert.deepEqual(JSON.parse(json), value)
})
