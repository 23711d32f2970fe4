import assert from 'node:assert/strict'
import { test } from 'node:test'
import { ConfigError, loadConfig } from '../../src/config/settings.ts'

function problemOf(name: string, value: string): string {
  try {
    loadConfig({ [name]: value })
  } catch (error) {
    if (error instanceof ConfigError) return error.problems.join('\n')
    throw error
  }
  return ''
}

const NO_ORIGIN = /be an origin, such as https:\/\/pay\.example\.com$/

const MORE: Readonly<Record<string, RegExp>> = {
  'https://pay.example.com/shop': /without the path \/shop: /,
  'https://pay.example.com/shop/': /without the path \/shop\/: /,
  'https://pay.example.com/%2e%2e/x': /without the path \/x: /,
  'https://pay.example.com?shop=1': /without the query \?shop=1$/,
  'https://pay.example.com/?': /without the query \?$/,
  'https://pay.example.com/#/': /without the fragment #\/$/,
  'https://pay.example.com#': /without the fragment #$/,
  'https://user:secret@pay.example.com': /without a user name or password$/,
  'https://@pay.example.com': /without a user name or password$/,
  'https://*.example.com': /with one host name, without \*$/,
  'https://pay.example.com,https://shop.example.com': /with one host name, without a comma$/,
  'https://pay.example.com https://shop.example.com': /one origin, without spaces$/,
  'https://pay.exa\tmple.com': /one origin, without spaces$/,
  'https:pay.example.com': NO_ORIGIN,
  'https:\\\\pay.example.com\\shop': NO_ORIGIN,
  'pay.example.com': NO_ORIGIN,
  '//pay.example.com': NO_ORIGIN,
  'wss://pay.example.com': NO_ORIGIN,
  'https://pay.example.com:99999': NO_ORIGIN,
}

for (const [value, expected] of Object.entries(MORE))
  test(`PUBLIC_URL ${JSON.stringify(value)} is refused, naming what is too much`, () => {
    const problem = problemOf('PUBLIC_URL', value)
    assert.match(problem, /^PUBLIC_URL is invalid: it should be [^\n]+$/)
    assert.match(problem, expected)
    assert.doesNotMatch(problem, /secret/)
  })

test('PUBLIC_URL is an origin as browsers write it', () => {
  const origins = {
    'https://pay.example.com': 'https://pay.example.com',
    'https://pay.example.com/': 'https://pay.example.com',
    'https://pay.example.com//': 'https://pay.example.com',
    'HTTPS://Pay.Example.COM': 'https://pay.example.com',
    'https://pay.example.com:443': 'https://pay.example.com',
    'https://pay.example.com:8443/': 'https://pay.example.com:8443',
    'http://127.0.0.1:3000': 'http://127.0.0.1:3000',
    'http://[0:0:0:0:0:0:0:1]:3000': 'http://[::1]:3000',
    'https://bezahlen.bücher.example': 'https://bezahlen.xn--bcher-kva.example',
  }
  for (const [value, origin] of Object.entries(origins))
    assert.equal(loadConfig({ PUBLIC_URL: value }).publicUrl, origin)
})

test('a base URL of another service has no query and no fragment, to which paths would be appended', () => {
  const others = ['LIGHTWALLETD_URL', 'SWAP_API_URL', 'OTEL_EXPORTER_OTLP_ENDPOINT']
  for (const name of others)
    for (const rest of ['?', '?key=1', '/v1?key=1', '#', '#top'])
      assert.match(
        problemOf(name, `https://one.example.com${rest}`),
        new RegExp(`${name} is invalid: it should be a URL like .*, without a query or fragment`),
        `${name} ${rest}`,
      )
  assert.equal(loadConfig({ SWAP_API_URL: 'https://one.example.com/v1/' }).swap?.apiUrl, 'https://one.example.com/v1')
})
