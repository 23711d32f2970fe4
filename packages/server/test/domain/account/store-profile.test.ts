import assert from 'node:assert/strict'
import { test } from 'node:test'
import { checkedStoreChange, type StoreChange, supportHref } from '../../../src/domain/account/store-profile.ts'
import { AppError } from '../../../src/domain/error.ts'

const check = (change: StoreChange) => checkedStoreChange(change, 'https://pay.example')

const refusedWith = (code: string) => (error: unknown) =>
  error instanceof AppError && error.code === code && typeof error.extra.detail === 'string'

test('texts are stored in canonical form; what is absent stays absent, and null clears', () => {
  const change: StoreChange = {
    name: ' Käserei & Söhne ',
    accent: '#1B6A57',
    support: ' Help@Shop.Example ',
    website: 'https://Shop.example',
    locale: 'de',
    currency: 'eur',
    expiresInSecs: 3_600,
    afterPayment: 'return',
    frameOrigins: [
      'https://Shop.example:443/',
      'https://shop.example',
      'http://localhost:3000',
      'https://käse.example',
    ],
  }
  assert.deepEqual(check(change), {
    name: 'Käserei & Söhne',
    accent: '#1b6a57',
    support: 'help@shop.example',
    website: 'https://shop.example/',
    locale: 'de',
    currency: 'EUR',
    expiresInSecs: 3_600,
    afterPayment: 'return',
    frameOrigins: ['https://shop.example', 'http://localhost:3000', 'https://xn--kse-qla.example'],
  })
  const cleared: StoreChange = { name: null, accent: null, support: null, frameOrigins: null, expiresInSecs: null }
  assert.deepEqual(check(cleared), cleared)
  assert.deepEqual(check({}), {})
})

const BAD: readonly [field: string, ...changes: StoreChange[]][] = [
  [
    'name',
    { name: '' },
    { name: '  ' },
    { name: 'x'.repeat(81) },
    { name: 'a\u202eb' },
    { name: 'a\nb' },
    { name: '\u200b' },
  ],
  [
    'accent',
    { accent: '#12345' },
    { accent: '1b6a57' },
    { accent: '#1b6a5g' },
    { accent: '#1b6a57;' },
    { accent: 'red' },
  ],
  [
    'support',
    { support: 'http://shop.example' },
    { support: 'javascript://x/%0aalert(1)' },
    { support: 'javascript:alert(1)' },
    { support: 'shop' },
    { support: 'https://me:secret@shop.example' },
  ],
  ['website', { website: 'http://shop.example' }, { website: 'shop.example' }, { website: 'data:text/html,x' }],
  ['locale', { locale: 'xx' as never }],
  ['currency', { currency: 'XXY' }, { currency: 'euro' }, { currency: '€' }],
  ['expires_in_secs', { expiresInSecs: 59 }, { expiresInSecs: 86_401 }, { expiresInSecs: 60.5 }],
  ['after_payment', { afterPayment: 'leave' as never }],
  [
    'frame_origins',
    { frameOrigins: [] },
    { frameOrigins: Array.from({ length: 11 }, (_, i) => `https://${i}.example`) },
    ...[
      'http://shop.example',
      'http://localhost.evil.example',
      'https://shop.example/path',
      'https://shop.example?x',
      'https://user@shop.example',
      'https://*.example',
      'https://shop.example;script-src',
      "https://shop'example",
      'https://a,b',
      'https://[::1]',
      '*',
      'null',
      "'none'",
      'data:',
      'https://shop.example https://evil.example',
      `https://${'a.'.repeat(150)}example`,
    ].map((origin): StoreChange => ({ frameOrigins: [origin] })),
  ],
]

for (const [field, ...changes] of BAD)
  test(`a ${field} that is not valid is refused, with the values that are`, () => {
    for (const change of changes)
      assert.throws(() => check(change), refusedWith(`invalid_${field}`), JSON.stringify(change))
  })

test('a link for help is that of a page or a mail, and an address adds no header to the mail', () => {
  assert.equal(supportHref({ support: null }), null)
  assert.equal(supportHref({ support: 'https://shop.example/help' }), 'https://shop.example/help')
  assert.equal(supportHref({ support: 'help@shop.example' }), 'mailto:help@shop.example')
  const { support = null } = check({ support: 'a?bcc=x&y@shop.example' })
  assert.equal(supportHref({ support }), 'mailto:a%3Fbcc%3Dx%26y@shop.example')
})
