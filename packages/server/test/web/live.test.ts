import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import fc from 'fast-check'
import { changedParts, livePart, liveTag } from '../../src/web/components/live.ts'
import { type Html, html } from '../../src/web/html.ts'
import { type SandboxService, startSandboxService } from '../harness/service.ts'
import { until } from '../harness/until.ts'
import { createInvoice, REFUND_TO } from './browser.ts'
import { visit } from './visit.ts'

const KEPT_QR = /<live-part id="qr" data-state="[\w-]+"><\/live-part>/
const ids = ['a', 'b', 'c', 'd', 'e']

/** The texts of parts: those at even places are outer ones, each followed by one inside it. */
const contents = fc.array(fc.constantFrom('x', 'y', ''), { minLength: 4, maxLength: 4 })

interface Rendered {
  readonly page: string
  readonly outer: readonly Html[]
  readonly byState: ReadonlyMap<string, string>
}

const stateOf = (part: Html) => /data-state="([\w-]+)"/.exec(part.text)?.[1] ?? ''

function render([a = '', b = '', c = '', d = '']: readonly string[]): Rendered {
  const inner = [livePart(ids[2] as string, html`<b>${b}</b>`), livePart(ids[3] as string, html`${d}`)]
  const outer = [
    livePart(ids[0] as string, html`<i>${a}</i>${inner[0]}${a}`),
    livePart(ids[1] as string, html`${c}${inner[1]}`),
  ]
  const page = html`<title>${a}</title><main>frame${outer[0]}<p>frame</p>${outer[1]}</main>`.text
  return { page, outer, byState: new Map([...outer, ...inner].map(part => [stateOf(part), part.text])) }
}

test('the open page has all that is not sent again', () => {
  fc.assert(
    fc.property(contents, contents, (before, after) => {
      const [shown, next] = [render(before), render(after)]
      const tag = liveTag(shown.page) as string
      const sent = changedParts(next.page, tag)
      const known = (part: Html) => shown.byState.has(stateOf(part))
      const expected = next.outer.filter(part => !known(part)).map(({ text }) => text)
      const completed = sent.replace(
        /<live-part id="[\w-]+" data-state="([\w-]+)"><\/live-part>/g,
        (empty, state) => shown.byState.get(state) ?? empty,
      )
      assert.equal(completed, `<title>${after[0]}</title>${expected.join('')}`)
      assert.equal(liveTag(next.page) === tag, before.join() === after.join())
    }),
  )
})

test('a part with the content of another one has another state, and the time that is left changes none', () => {
  assert.notEqual(stateOf(livePart('a', html``)), stateOf(livePart('b', html``)))
  const left = (secs: number) => stateOf(livePart('a', html`<span data-left="${secs}"></span>`))
  assert.equal(left(5), left(4))
})

describe('an open page asks for its live parts', () => {
  let harness: SandboxService

  before(async () => {
    harness = await startSandboxService()
  })
  after(() => harness?.close())

  const asks = (path: string, tag: string | null) =>
    visit(harness, `GET ${path}`, { headers: { 'if-none-match': tag ?? '', 'live-parts': 'changed' } })

  test('and gets no body without a change, and then neither the frame nor the QR code of the same payment request', async () => {
    const { publicId } = await createInvoice(harness)
    for (const path of [`/i/${publicId}`, `/i/${publicId}/embed`]) {
      const whole = await visit(harness, `GET ${path}`)
      const tag = whole.headers.get('etag')
      const unchanged = await asks(path, tag)
      assert.deepEqual([unchanged.status, unchanged.text], [304, ''])

      const form = {
        asset_id: 'nep141:btc.omft.near',
        refund_to: path.endsWith('embed') ? REFUND_TO.Bitcoin! : '1A1zP1eP5QGefi2DMPTfTL5SLmv7DivfNa',
      }
      assert.equal((await visit(harness, `POST ${path}/swap`, { form })).status, 303)
      const changed = await asks(path, tag)
      assert.equal(changed.status, 200)
      assert.match(changed.text, /^<title>Pay with Zcash: 0\.025 ZEC · zatgate<\/title><live-part id="live"/)
      assert.match(changed.text, new RegExp(form.refund_to))
      assert.match(changed.text, KEPT_QR)
      assert.doesNotMatch(changed.text, /<html|<link|<script|<svg|\/assets\/|id="chain"/)
      assert.ok(changed.text.length < whole.text.length / 2, `${changed.text.length} of ${whole.text.length}`)
      for (const { headers } of [unchanged, changed]) {
        assert.equal(headers.get('cache-control'), 'no-store')
        assert.equal(headers.get('content-security-policy'), whole.headers.get('content-security-policy'))
      }
    }
  })

  test('and a part payment is a new payment request, with its QR code', async () => {
    const { publicId, address } = await createInvoice(harness)
    const tag = (await visit(harness, `GET /i/${publicId}`)).headers.get('etag')
    harness.sandbox.wallet.pay({ uri: `zcash:${address}?amount=0.01` })
    const { text } = await until('the change', async () => {
      const answer = await asks(`/i/${publicId}`, tag)
      return answer.status === 200 && answer
    })
    assert.match(text, /0\.01 ZEC<\/bdi> has arrived/)
    assert.match(text, /<live-part id="qr" data-state="[\w-]+"><svg class="qr"/)
  })

  test('a navigation gets the whole page, also one that names a tag', async () => {
    const { publicId } = await createInvoice(harness)
    const answer = await visit(harness, `GET /i/${publicId}`, { headers: { 'if-none-match': 'W/"x.y"' } })
    assert.match(answer.text, /^<!doctype html>.*<svg class="qr"/s)
  })

  test('a page without live parts has no tag', async () => {
    const { headers } = await visit(harness, 'GET /sign-in')
    assert.equal(headers.get('etag'), null)
  })
})
