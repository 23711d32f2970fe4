import assert from 'node:assert/strict'
import fs from 'node:fs/promises'
import { syncBuiltinESMExports } from 'node:module'
import { after, before, describe, test } from 'node:test'
import { GUIDES, GUIDES_PATH, guidePath } from '../../src/web/guides.ts'
import { renderMarkdown } from '../../src/web/markdown.ts'
import { deployText } from '../deploy/files.ts'
import { blocksOf } from '../harness/guide.ts'
import { call } from '../harness/http-call.ts'
import { type SandboxService, startSandboxService } from '../harness/service.ts'
import { openMerchant } from './accounts.ts'
import { createInvoice, noBrowser, useBrowser } from './browser.ts'
import { inspect } from './inspect.ts'
import { visit } from './visit.ts'

describe('the guides on the service', () => {
  let harness: SandboxService
  before(async () => {
    harness = await startSandboxService()
  })
  after(() => harness?.close())

  const read = async (path: string) => (await call(harness, `GET ${path}`)) as { status: number; text: string }

  test('a guide that could not be read once is shown at the next view', async t => {
    const failure = t.mock.method(fs, 'readFile', () => Promise.reject(new Error('EMFILE: too many open files')))
    syncBuiltinESMExports()
    assert.equal((await read('/docs/guides/refunds')).status, 500)
    failure.mock.restore()
    syncBuiltinESMExports()
    assert.equal((await read('/docs/guides/refunds')).status, 200)
  })

  test('the reference and every guide link to all of them, and no link is dead', async () => {
    const seen = new Map<string, string>()
    const queue = ['/docs']
    for (let path = queue.pop(); path !== undefined; path = queue.pop()) {
      if (seen.has(path)) continue
      const { status, text } = await read(path)
      assert.equal(status, 200, path)
      seen.set(path, text)
      for (const [, href = ''] of text.matchAll(/href="(\/docs[^"]*)"/g)) queue.push(href.split('#')[0] ?? '')
    }
    assert.deepEqual([...seen.keys()].sort(), ['/docs', GUIDES_PATH, ...Object.keys(GUIDES).map(guidePath)].sort())
    for (const [path, text] of seen)
      for (const [, href = ''] of text.matchAll(/href="([^"]+)"/g)) {
        const [page = '', anchor] = href.split('#')
        assert.ok(!page.endsWith('.md') || page.startsWith('https://'), `${path}: ${href}`)
        const target = page === '' ? text : seen.get(page)
        if (anchor !== undefined && target !== undefined)
          assert.ok(target.includes(`id="${anchor}"`), `${path}: ${href}`)
      }
    for (const [path, text] of seen) {
      const current = [...text.matchAll(/href="([^"]*)" aria-current="(\w+)"/g)].map(([, href, kind]) => [href, kind])
      assert.deepEqual(current, [
        ['/docs', 'true'],
        [path, 'page'],
      ])
    }
  })

  test('a guide has every block of its document, as it stands', async () => {
    for (const [name, { file }] of Object.entries(GUIDES)) {
      const { text } = await read(guidePath(name))
      const shown = [...text.matchAll(/<pre tabindex="0"><code>(.*?)<\/code><\/pre>/gs)].map(([, code = '']) =>
        code
          .replaceAll('&lt;', '<')
          .replaceAll('&gt;', '>')
          .replaceAll('&quot;', '"')
          .replaceAll('&#39;', "'")
          .replaceAll('&amp;', '&'),
      )
      assert.deepEqual(
        shown,
        blocksOf(file).map(block => block.text.trimEnd()),
        name,
      )
      const copied = [...text.matchAll(/<\/pre><button [^>]*data-copy="/g)]
      assert.equal(copied.length, shown.length, name)
      assert.equal([...text.matchAll(/<h1/g)].length, 1, name)
    }
  })

  test('the image contains the documents', () => {
    const copied = deployText('docker/Dockerfile')
    const allowed = deployText('docker/Dockerfile.dockerignore').split('\n')
    for (const { file } of Object.values(GUIDES)) {
      const pattern = file.replace(/^docs\/[\w-]+\.md$/, 'docs/*.md')
      assert.match(copied, new RegExp(`^COPY ${pattern.replaceAll('*', '\\*')} `, 'm'), file)
      assert.ok(allowed.includes(`!${pattern}`), file)
    }
  })

  test('an unknown guide and a document for operators are not found', async () => {
    for (const name of ['none', 'constructor', '..%2fREADME', 'webhooks.md', 'deploy', 'going-live', 'settings'])
      assert.equal((await read(guidePath(name))).status, 404, name)
  })

  test('pages for merchants link to the documentation, and pages for buyers do not', async () => {
    const { publicId } = await createInvoice(harness)
    const docs = /<a href="\/docs">Docs<\/a>/
    for (const path of ['/sign-in', '/overview', '/i/none', `/i/${publicId}`, `/i/${publicId}/embed`]) {
      const { text } = await visit(harness, `GET ${path}`)
      assert.equal(docs.test(text), !path.startsWith('/i/'), path)
    }
    const merchant = await openMerchant(harness, 'guides', 7)
    const { text } = await visit(harness, 'GET /webhook', { cookie: `__Host-zatgate=${await merchant.token()}` })
    assert.match(text.slice(text.indexOf('id="menu"'), text.indexOf('<main')), docs)
  })

  test('markup in a document is text, and a link out of the served files is its text', async () => {
    const document = '# A & B\n\nText <script>x</script> `<b>` [in](a.md#x) [out](b.md)\n\n# A & B\n'
    const { text } = await renderMarkdown(document, href => (href.startsWith('a') ? `/${href}` : null))
    assert.ok(!/<script|<b>/.test(text), text)
    assert.match(text, /<h1 id="a--b">A &amp; B<\/h1>/)
    assert.match(text, /<h1 id="a--b-1">/)
    assert.match(text, /<a href="\/a\.md#x">in<\/a> out</)
  })

  describe('in a real browser', { skip: noBrowser(), timeout: 240_000 }, () => {
    const { openPage } = useBrowser()
    test('it is accessible, light and dark, and does not scroll sideways', async () => {
      const page = await openPage()
      for (const path of [GUIDES_PATH, guidePath('webhooks'), guidePath('wallets')]) {
        await page.goto(harness.url + path)
        await inspect(page)
      }
    })
  })
})
