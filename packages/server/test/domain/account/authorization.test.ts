import assert from 'node:assert/strict'
import { test } from 'node:test'
import { readAuthorization } from '../../../src/domain/account/authorization.ts'
import { CONSENTS } from '../../harness/plugin-consents.ts'

const STORE = '0f7d0a53-2f55-4a0e-8bd6-8b6c4b7b3f10'
const read = (query: string) => readAuthorization(query, STORE)
const VIEW = 'permissions=btcpay.store.canviewinvoices'
const SHOP = 'https://shop.example/callback'
const to = (url: string) => read(`${VIEW}&redirect=${encodeURIComponent(url)}`)

test('WooCommerce, Magento and PrestaShop are read as they ask', () => {
  const woocommerce = read(CONSENTS.woocommerce)
  assert.deepEqual(woocommerce, {
    appName: 'WooCommerce',
    permissions: [
      'btcpay.store.canviewinvoices',
      'btcpay.store.cancreateinvoice',
      'btcpay.store.canviewstoresettings',
      'btcpay.store.canmodifyinvoices',
      'btcpay.store.cancreatenonapprovedpullpayments',
      'btcpay.store.webhooks.canmodifywebhooks',
    ],
    unsupported: [],
    receiver: {
      url: 'https://shop.example/?btcpay-settings-callback',
      origin: 'https://shop.example',
      host: 'shop.example',
    },
    problem: null,
  })
  const magento = read(CONSENTS.magento)
  assert.equal(magento.appName, 'Magento 2 @ shop.example')
  assert.equal(magento.permissions.length, 5)
  assert.equal(magento.receiver?.url, 'https://shop.example/btcpay/apikey/save?secret=a+b%2F&store=0')
  const prestashop = read(CONSENTS.prestashop)
  assert.deepEqual([prestashop.permissions.length, prestashop.problem], [6, null])
  assert.equal(prestashop.permissions[0], 'btcpay.store.canmodifystoresettings')
})

test('a permission that means nothing here is refused, and left out if the plugin allows that', () => {
  const asked = `${VIEW}&permissions=btcpay.server.canmodifyserversettings`
  for (const strict of ['', '&strict=true', '&strict=TRUE', '&strict='])
    assert.equal(read(asked + strict).problem, 'unsupported_permissions', strict)
  for (const strict of ['&strict=false', '&strict=False', '&Strict=0']) {
    const { permissions, unsupported, problem } = read(asked + strict)
    assert.deepEqual(permissions, ['btcpay.store.canviewinvoices'])
    assert.deepEqual(unsupported, ['btcpay.server.canmodifyserversettings'])
    assert.equal(problem, null)
  }
  assert.equal(read('permissions=unrestricted&strict=false').problem, 'no_permissions')
  assert.equal(read('').problem, 'no_permissions')
})

test('permissions may be a list, repeated, in any case, and name the own store alone', () => {
  const names = ['btcpay.store.canviewinvoices', 'btcpay.store.cancreateinvoice']
  const store = `${names[0]}:${STORE}`
  for (const query of [
    `permissions=${names.join(',')}`,
    `permissions=${names.join('%20')}`,
    `permissions[]=${names[0]}&permissions[]=${names[1]}`,
    `Permissions=${names[0]?.toUpperCase()}&PERMISSIONS=${names.join(',')}`,
    `permissions=${store.toUpperCase()},${names[1]}`,
  ])
    assert.deepEqual(read(query).permissions, names, query)
  const other = `${names[0]}:${STORE.replace('0', '1')}`
  assert.deepEqual([read(`permissions=${other}`).permissions, read(`permissions=${other}`).unsupported], [[], [other]])
})

test('a key goes over https, or stays on the machine of the browser', () => {
  for (const url of [SHOP, 'https://shop.example:8443/a?b=c&d#e', 'http://localhost:8080/x', 'http://127.0.0.1/x'])
    assert.equal(to(url).receiver?.url, url)
  for (const url of [
    'http://shop.example/',
    'javascript:alert(1)',
    'data:text/html,x',
    'ftp://shop.example/',
    '//shop.example/',
    '/callback',
    'https://',
    'https://bank.example@shop.example/',
    'https://shop.example\\@bank.example/',
    'https://shop.example/\u202egnp',
    'https://shop.example/a b',
    'https://sh\nop.example/',
    'https://127.0.0.1:99999/',
    `https://shop.example/${'a'.repeat(2_100)}`,
    'http://localhost.shop.example/',
  ]) {
    const { receiver, problem } = to(url)
    assert.deepEqual([receiver, problem], [null, 'bad_receiver'], url)
  }
  assert.equal(to('https://xn--mnchen-3ya.example/').receiver?.host, 'xn--mnchen-3ya.example')
  assert.equal(to('https://münchen.example/').receiver?.host, 'xn--mnchen-3ya.example')
  assert.equal(read(`${VIEW}&redirect=`).problem, null)
})

test('the name is bounded, and on one line', () => {
  const nameOf = (name: string) => read(`${VIEW}&applicationName=${encodeURIComponent(name)}`).appName
  assert.equal(nameOf(' My\r\nshop\u202e '), 'My shop')
  assert.equal(nameOf('<b>Shop</b>'), '<b>Shop</b>')
  assert.equal(nameOf('a'.repeat(500)), 'a'.repeat(100))
  assert.equal(nameOf(`${'a'.repeat(99)}🛒`), 'a'.repeat(99))
  assert.equal(read(`${VIEW}&applicationName=%20&applicationIdentifier=magento2`).appName, 'magento2')
  assert.equal(read(VIEW).appName, '')
})

test('the query is bounded', () => {
  assert.equal(read(`${VIEW}&x=${'a'.repeat(4_000)}`).problem, 'too_long')
  assert.equal(read(VIEW + '&x'.repeat(100)).problem, 'too_long')
  const long = read(`permissions=${'a'.repeat(3_000)}`)
  assert.equal(long.unsupported[0]?.length, 101)
})
