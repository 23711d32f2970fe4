import assert from 'node:assert/strict'
import { globSync, readFileSync } from 'node:fs'
import { describe, test } from 'node:test'
import { PAGE_LOCALES } from '../../../src/domain/locale.ts'
import { CATALOG, type MessageName } from '../../../src/web/text/catalog.ts'
import type { Message } from '../../../src/web/text/message.ts'

const SOURCE = new URL('../../../src/', import.meta.url).pathname
const names = Object.keys(CATALOG.en) as MessageName[]

const formsOf = (message: Message): string[] => (typeof message === 'string' ? [message] : Object.values(message))
const placeholders = (form: string): string => [...new Set(form.match(/\{\w+\}/g))].sort().join(' ')

describe('the messages of each language', () => {
  for (const locale of PAGE_LOCALES) {
    const messages = CATALOG[locale]

    test(`${locale} has every message of English and no other, and none is empty`, () => {
      assert.deepEqual(Object.keys(messages).sort(), [...names].sort())
      for (const name of names) for (const form of formsOf(messages[name])) assert.match(form, /\S/, name)
    })

    test(`${locale} has the values of the English message in each form, and its stars in pairs`, () => {
      for (const name of names) {
        const [wanted] = formsOf(CATALOG.en[name]).slice(-1).map(placeholders)
        for (const form of formsOf(messages[name])) {
          assert.equal(placeholders(form), wanted, name)
          assert.equal((form.match(/\*/g) ?? []).length % 2, 0, name)
          assert.equal(/[<>&]/.test(form), false, `${name}: markup`)
        }
      }
    })

    test(`${locale} has the plural forms of its language`, () => {
      const categories = new Intl.PluralRules(locale).resolvedOptions().pluralCategories
      for (const name of names) {
        const message: Message = messages[name]
        if (typeof message === 'string') continue
        assert.deepEqual(Object.keys(message).sort(), [...categories].sort(), name)
      }
    })
  }

  test('are translated: only names and signs are the same as in English', () => {
    for (const locale of PAGE_LOCALES.slice(1)) {
      const same = names.filter(name => JSON.stringify(CATALOG[locale][name]) === JSON.stringify(CATALOG.en[name]))
      assert.ok(same.length <= names.length / 10, `${locale}: ${same.join(', ')}`)
    }
  })

  test('are all used', () => {
    const source = globSync('{web,services,adapters,http}/**/*.ts', { cwd: SOURCE })
      .filter(file => !file.startsWith('web/text/'))
      .map(file => readFileSync(`${SOURCE}${file}`, 'utf8'))
      .join('\n')
    assert.deepEqual(
      names.filter(name => !source.includes(`'${name}'`)),
      [],
    )
  })
})
