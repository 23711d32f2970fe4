import assert from 'node:assert/strict'
import { test } from 'node:test'
import { acceptedLocale, PAGE_LOCALES, pageLocale } from '../../src/domain/locale.ts'

test('a tag is one of the page languages by its first part, in any case', () => {
  for (const locale of PAGE_LOCALES) assert.equal(pageLocale(locale), locale)
  assert.equal(pageLocale('pt-BR'), 'pt')
  assert.equal(pageLocale(' ZH-Hans-CN'), 'zh')
  for (const tag of ['', 'x', 'sw', 'e', 'english', '__proto__']) assert.equal(pageLocale(tag), null, tag)
})

test('of the accepted languages the one of the highest quality is chosen, and of equals the first', () => {
  assert.equal(acceptedLocale('sw,de;q=0.4,fr;q=0.8'), 'fr')
  assert.equal(acceptedLocale('sw, es-MX , de'), 'es')
  assert.equal(acceptedLocale('de;q=0,nl;q=0.1'), 'nl')
  for (const header of ['', '*', 'sw', ';;,,', 'de;q=0']) assert.equal(acceptedLocale(header), null, header)
  assert.equal(acceptedLocale(`${'sw,'.repeat(20)}de`), null, 'a long header is not read to its end')
})
