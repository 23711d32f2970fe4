import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { type SandboxService, startSandboxService } from '../harness/service.ts'
import { type Merchant, openMerchant } from './accounts.ts'
import { noBrowser, useBrowser } from './browser.ts'
import { inspect } from './inspect.ts'
import { visit } from './visit.ts'

describe('the receivers on the page Webhook', () => {
  let harness: SandboxService
  let merchant: Merchant
  before(async () => {
    harness = await startSandboxService()
    merchant = await openMerchant(harness, 'receivers', 8)
  })
  after(() => harness?.close())

  const read = async () =>
    (await visit(harness, 'GET /webhook', { cookie: `__Host-zatgate=${await merchant.token()}` })).text
  const set = (url: string) => harness.service.webhooks.set(merchant.account, url)

  test('they listen at the path and the port of the account, as text', async () => {
    await set(`http://127.0.0.1:8123/it's/<b>$1&?key=secret-of-the-url`)
    const text = await read()
    assert.equal([...text.matchAll(/<details name="receiver"( open)?>/g)].map(([, open]) => open).join(), ' open,,')
    for (const shown of [
      'const PATH = &#39;/it\\&#39;s/%3Cb%3E$1&amp;&#39;\nconst PORT = 8123\n',
      'PATH, PORT = &quot;/it&#39;s/%3Cb%3E$1&amp;&quot;, 8123\n',
      '$path = &#39;/it\\&#39;s/%3Cb%3E$1&amp;&#39;;\n',
      'php -S 127.0.0.1:8123 webhook.php',
    ])
      assert.ok(text.includes(shown), shown)
    const section = text.slice(text.indexOf('id="receiver"'))
    assert.ok(!/whsec_\w|secret-of-the-url/.test(section))
  })

  test('without a port in the URL, and without a URL, they have the port of the guides', async () => {
    await set('https://shop.example.com/events')
    assert.match(await read(), /const PATH = &#39;\/events&#39;\nconst PORT = 3001\n/)
    await harness.service.webhooks.remove(merchant.account)
    assert.match(await read(), /const PATH = &#39;\/webhook&#39;\nconst PORT = 3001\n/)
  })

  describe('in a real browser', { skip: noBrowser(), timeout: 120_000 }, () => {
    const { openPage } = useBrowser()

    test('one is open at a time without a script', async () => {
      const page = await openPage({ javaScriptEnabled: false })
      await page.setExtraHTTPHeaders({ cookie: `__Host-zatgate=${await merchant.token()}` })
      await page.goto(`${harness.url}/webhook`)
      const code = page.locator('details[name=receiver] pre').filter({ visible: true })
      for (const [language, start] of Object.entries({ PHP: '<?php', Python: 'import base64', Node: 'import {' })) {
        await page.getByText(language, { exact: true }).click()
        assert.equal(await code.count(), 1)
        assert.ok((await code.textContent())?.startsWith(start), language)
      }
    })

    test('it is accessible, light and dark, and does not scroll sideways', async () => {
      const page = await openPage()
      await page.setExtraHTTPHeaders({ cookie: `__Host-zatgate=${await merchant.token()}` })
      await page.goto(`${harness.url}/webhook`)
      await page.getByRole('button', { name: 'Copy the receiver in Node' }).waitFor()
      await inspect(page)
    })
  })
})
