import assert from 'node:assert/strict'
import { globSync, readFileSync } from 'node:fs'
import { describe, test } from 'node:test'
import { type DashboardMessage, plain, say } from '../../../src/web/text/dashboard.ts'
import { dashboard } from '../../../src/web/text/en/dashboard/index.ts'
import type { Message, Messages } from '../../../src/web/text/message.ts'

const SOURCE = new URL('../../../src/web/', import.meta.url).pathname
const names = Object.keys(dashboard) as DashboardMessage[]

const formsOf = (message: Message): string[] => (typeof message === 'string' ? [message] : Object.values(message))
const values = (form: string): string => [...new Set(form.match(/\{\w+\}|\]\(\w+\)/g))].sort().join(' ')

describe('the texts of the dashboard', () => {
  test('have a name of one area only', async () => {
    const areas = globSync('text/en/dashboard/*.ts', { cwd: SOURCE }).filter(file => !file.endsWith('/index.ts'))
    const found = await Promise.all(
      areas.map(async file => {
        const [messages] = Object.values((await import(`${SOURCE}${file}`)) as Record<string, Messages>)
        return Object.keys(messages ?? {})
      }),
    )
    assert.ok(areas.length > 0)
    assert.deepEqual(found.flat().sort(), [...names].sort())
  })

  test('are not empty, and have the same values in each form, stars in pairs, and no markup', () => {
    for (const name of names) {
      const forms = formsOf(dashboard[name])
      const [wanted] = forms.slice(-1).map(values)
      for (const form of forms) {
        assert.match(form, /\S/, name)
        assert.equal(values(form), wanted, name)
        assert.equal((form.match(/\*/g) ?? []).length % 2, 0, name)
        assert.equal(/[<>&]/.test(form), false, `${name}: markup`)
      }
    }
  })

  test('have the plural forms of English', () => {
    const categories = new Intl.PluralRules('en').resolvedOptions().pluralCategories
    for (const name of names) {
      const message: Message = dashboard[name]
      if (typeof message !== 'string') assert.deepEqual(Object.keys(message).sort(), [...categories].sort(), name)
    }
  })

  test('are all used', () => {
    const source = globSync('**/*.ts', { cwd: SOURCE })
      .filter(file => !file.startsWith('text/'))
      .map(file => readFileSync(`${SOURCE}${file}`, 'utf8'))
      .join('\n')
    /** A name of one word may be something else in the source. */
    const isUsed = (name: string) =>
      name.includes('_')
        ? source.includes(`'${name}'`)
        : source.includes(`say('${name}'`) || source.includes(`plain('${name}'`)
    assert.deepEqual(
      names.filter(name => !isUsed(name)),
      [],
    )
  })

  test('are said with exactly their values', () => {
    assert.equal(
      String(say('deletion_banner', { time: 'Monday', link: '/a?b&c' })),
      'This account will be deleted on <bdi>Monday</bdi> or later. Nothing can be changed until you <a href="/a?b&amp;c">keep it</a>.',
    )
    assert.equal(plain('no_email', { link: '/' }), 'No email? Request another code.')
    const values = { count: 1, amount: '1 ZEC' }
    assert.equal(plain('invoices_total', values), '1 invoice · 1 ZEC received')
    assert.equal(plain('invoices_total', { ...values, count: 1_200 }), '1,200 invoices · 1 ZEC received')
    // @ts-expect-error: it has no such value
    plain('deletion_email_hint', { name: 'x' })
    // @ts-expect-error: the number chooses the form
    plain('invoices_total', { amount: '1 ZEC' })
    // @ts-expect-error: it needs a value
    plain('deletion_email_hint')
    // @ts-expect-error: it needs an address
    plain('no_email', {})
    // @ts-expect-error: there is no such text
    assert.throws(() => plain('no_such_text'))
  })
})
