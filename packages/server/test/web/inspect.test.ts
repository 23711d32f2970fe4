import assert from 'node:assert/strict'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { after, describe, test } from 'node:test'
import { noBrowser, useBrowser } from './browser.ts'
import { findBarriers } from './inspect.ts'

const document = (body: string) =>
  `<!doctype html><html lang="en"><title>A page</title><style>
  @media (prefers-color-scheme: dark) { body { background: #222 } }
  </style><main><h1>A heading</h1>${body}</main></html>`

describe('the inspection of a page', { skip: noBrowser() }, () => {
  const { openPage } = useBrowser()
  const server = createServer((request, response) => {
    response.setHeader('content-type', 'text/html')
    response.end(
      request.url === '/frame'
        ? document('<img src="data:,">')
        : document('<p style="color: #444">A text.</p><iframe title="A frame" src="/frame"></iframe>'),
    )
  }).listen(0, '127.0.0.1')
  after(() => server.close())

  test('finds what axe finds in either theme, also in a frame', async () => {
    const page = await openPage()
    await page.goto(`http://127.0.0.1:${(server.address() as AddressInfo).port}/page`)
    const found = await findBarriers(page)
    const rules = found.map(line => line.slice(0, line.indexOf(':', line.indexOf(':') + 1)))
    const dark = ['/frame, dark: color-contrast', '/page, dark: color-contrast']
    assert.deepEqual(rules.toSorted(), [...dark, '/frame, light: image-alt'].toSorted())
  })
})
