import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { encode } from 'uqr'
import { formatZec, MAX_ZAT } from '../../src/domain/money.ts'
import { showUnprintable } from '../../src/domain/text.ts'
import { browserName, programName } from '../../src/http/user-agent.ts'
import { parseZec } from '../../src/web/amount.ts'
import { dailyChart } from '../../src/web/components/chart.ts'
import { qrCode } from '../../src/web/components/sale/qr-code.ts'
import { formatDuration, formatZecAmount, groupThousands, shorten } from '../../src/web/format.ts'
import { booleanAttribute, exactly, html } from '../../src/web/html.ts'

const unescapeHtml = (text: string) =>
  text
    .replaceAll('&lt;', '<')
    .replaceAll('&gt;', '>')
    .replaceAll('&quot;', '"')
    .replaceAll('&#39;', "'")
    .replaceAll('&amp;', '&')

test('a value cannot end an attribute or open an element, and only its invisible characters are changed', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'binary' }), text => {
      const written = html`${text}`.text
      assert.doesNotMatch(written, /[<>"']/)
      assert.equal(unescapeHtml(written), showUnprintable(text))
      assert.equal(unescapeHtml(exactly(text).text), text)
    }),
  )
})

test('HTML values stay as they are, lists are joined, empty values render nothing', () => {
  const items = ['a', '<b>'].map(item => html`<li>${item}</li>`)
  assert.equal(
    html`<ul>${items}${null}${undefined}${false}</ul>${0}${1n}`.text,
    '<ul><li>a</li><li>&lt;b&gt;</li></ul>01',
  )
  assert.equal(
    html`<input${booleanAttribute('checked', true)}${booleanAttribute('disabled', false)}>`.text,
    '<input checked>',
  )
})

test('a formatted amount parses back to the same amount', () => {
  fc.assert(
    fc.property(fc.bigInt({ min: 1n, max: MAX_ZAT }), amount => {
      assert.equal(parseZec(formatZec(amount)), amount)
      assert.equal(parseZec(` ${formatZec(amount).replace('.', ',')} `), amount)
    }),
  )
})

test('text that is not a valid amount is rejected', () => {
  for (const text of ['', '0', '0.000000001', '-1', '1e3', '21000000.00000001', '1.2.3', '.5', 'NaN', '1 000'])
    assert.equal(parseZec(text), null, text)
})

test('numbers are grouped by thousands', () => {
  assert.equal(groupThousands(1_234_567), '1,234,567')
  assert.equal(groupThousands(100n), '100')
  assert.equal(formatZecAmount(123_456_789_000_001n), '1,234,567.89000001 ZEC')
  assert.equal(formatZecAmount(0n), '0 ZEC')
})

test('shortened text keeps both ends, and durations keep their two largest units', () => {
  assert.equal(shorten('0123456789abcdef', 4, 2), '0123…ef')
  assert.equal(shorten('short', 4, 2), 'short')
  assert.deepEqual([0, 59, 900, 3_600, 90_061].map(formatDuration), ['0 s', '59 s', '15 min', '1 h', '1 d 1 h'])
})

test('the chart has a bar for each day with sales, the highest at full height, and a table with the same figures', () => {
  const days = [0n, 5n, 10n].map((receivedZat, index) => ({
    day: index * 86_400,
    receivedZat,
    refundedZat: 0n,
    invoices: index,
  }))
  const plot = dailyChart(days).text
  const heights = [...plot.matchAll(/class="plot-bar"[^>]* height="(\d+)"/g)].map(match => Number(match[1]))
  assert.deepEqual(heights, [50, 100])
  assert.equal([...plot.matchAll(/<th scope="row">/g)].length, 3)
  assert.equal(dailyChart([]).text, '')
})

test('a QR code is drawn as one path, whose strokes are its dark modules, and has a label', () => {
  const svg = qrCode('zcash:u1test?amount=1', 'Pay').text
  const { data, size } = encode('zcash:u1test?amount=1', { ecc: 'L', border: 4 })
  const [, path = ''] = /<path d="([^"]+)" stroke="#000"/.exec(svg) ?? []
  const drawn = data.map(row => row.map(() => false))
  for (const [, row = ''] of path.matchAll(/M([^M]+)/g)) {
    const [, first, y] = /^(\d+) (\d+)\.5/.exec(row) ?? []
    let x = Number(first)
    for (const [, gap = '0', length] of row.matchAll(/(?:m(\d+) 0)?h(\d+)/g)) {
      x += Number(gap)
      drawn[Number(y)]?.fill(true, x, x + Number(length))
      x += Number(length)
    }
  }
  assert.deepEqual(drawn, data)
  const dark = drawn.flatMap((row, y) => row.flatMap((isDark, x) => (isDark ? [x, y] : [])))
  assert.deepEqual([Math.min(...dark), Math.max(...dark)], [4, size - 5], 'four light modules on each side')
  assert.match(svg, new RegExp(`viewBox="0 0 ${size} ${size}" role="img" aria-label="Pay"`))
})

test('a QR code depends on its text only, however many others were drawn before', () => {
  const first = qrCode('zcash:u1test?amount=1', 'Pay').text
  assert.equal(qrCode('zcash:u1test?amount=1', 'Pay').text, first)
  for (let amount = 2; amount < 600; amount++)
    assert.notEqual(qrCode(`zcash:u1test?amount=${amount}`, 'Pay').text, first)
  assert.equal(qrCode('zcash:u1test?amount=1', 'Pay').text, first)
})

test('a user agent is shown as browser and system', () => {
  const cases = {
    'Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0': 'Firefox on Linux',
    'Mozilla/5.0 (Macintosh; Intel Mac OS X 10_15_7) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/26.0 Safari/605.1.15':
      'Safari on Mac',
    'Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/156.0.0.0 Safari/537.36 Edg/156.0':
      'Edge on Windows',
    'Mozilla/5.0 (iPhone; CPU iPhone OS 26_0 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/26.0 Mobile/15E148 Safari/604.1':
      'Safari on iPhone',
    'curl/8': 'A browser',
    '': 'A browser',
  }
  for (const [agent, name] of Object.entries(cases)) assert.equal(browserName(agent), name)
})

test('a program is named by its browser or by its first word, cut to 40 characters', () => {
  const firefox = 'Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0'
  assert.equal(programName(firefox), 'Firefox on Linux')
  assert.equal(programName('curl/8.5.0 (x86_64-pc-linux-gnu)'), 'curl/8.5.0')
  assert.equal(programName(`${'x'.repeat(500)} y`), 'x'.repeat(40))
  assert.equal(programName('é'), null)
  assert.equal(programName(undefined), null)
})
