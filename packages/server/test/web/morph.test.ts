import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import fc from 'fast-check'
import type { Page } from 'playwright-core'
import { assetPath } from '../../src/web/assets.ts'
import { type SandboxService, startSandboxService } from '../harness/service.ts'
import { noBrowser, useBrowser } from './browser.ts'

const { tree } = fc.letrec<{ tree: string; node: string }>(tie => ({
  tree: fc.array(tie('node'), { maxLength: 4 }).map(nodes => nodes.join('')),
  node: fc.oneof(
    { depthSize: 'small' },
    fc.constantFrom('a', 'b', ' '),
    fc
      .record({
        name: fc.constantFrom('div', 'span', 'b'),
        attributes: fc.constantFrom('', ' id="x"', ' id="y"', ' class="p"', ' class="q" title="t"', ' hidden'),
        content: tie('tree'),
      })
      .map(({ name, attributes, content }) => `<${name}${attributes}>${content}</${name}>`),
  ),
}))

describe('the content of an open page', { skip: noBrowser(), timeout: 120_000 }, () => {
  const { openPage } = useBrowser()
  let harness: SandboxService

  before(async () => {
    harness = await startSandboxService()
  })
  after(() => harness?.close())

  /** Runs code in a page that shows `content`. `change(html)` makes it that of `html`, `find(id)` finds an element. */
  async function run<T>(page: Page, content: string, code: string): Promise<T> {
    return page.evaluate<T>(`(async () => {
      const { update } = await import('${assetPath('morph.js')}')
      const parse = html => new DOMParser().parseFromString('<body>' + html + '</body>', 'text/html').body
      const shown = document.createElement('body')
      const find = id => document.getElementById(id)
      document.body.replaceWith(shown)
      const change = html => update(shown, parse(html), () => false)
      change(${JSON.stringify(content)})
      ${code}
    })()`)
  }

  async function open(): Promise<Page> {
    const page = await openPage()
    await page.goto(`${harness.url}/sign-in`)
    return page
  }

  test('becomes that of the new one, whatever both are', async () => {
    const pairs = fc.sample(fc.tuple(tree, tree), 2_000)
    const wrong = await run<string[][]>(
      await open(),
      '',
      `return ${JSON.stringify(pairs)}.filter(([before, after]) => {
        change(before)
        change(after)
        return !shown.isEqualNode(parse(after))
      })`,
    )
    assert.deepEqual(wrong, [])
  })

  test('keeps the focus, the selection and the open details of what stays, whatever comes and goes around it', async () => {
    const shown = (above: string, below: string, status: string) =>
      `${above}<p>${status}</p><details><summary>More</summary>${'<p>line</p>'.repeat(3)}</details><button>Copy</button><p>address</p>${below}`
    const result = await run<unknown>(
      await open(),
      shown('', '<p>0 of 3</p>', 'Pay'),
      `const details = shown.querySelector('details')
      details.open = true
      const button = shown.querySelector('button')
      button.focus()
      const address = button.nextSibling
      getSelection().selectAllChildren(address)
      const log = []
      new MutationObserver(records => log.push(...records)).observe(address, { subtree: true, childList: true, characterData: true })
      change(${JSON.stringify(shown('<section>Too much</section><p>Note</p>', '<p>1 of 3</p><p>new</p>', 'Detected'))})
      change(${JSON.stringify(shown('', '', 'Paid'))})
      await 0
      return {
        text: shown.textContent.replace(/\\s+/g, ' '),
        isOpen: details.isConnected && details.open,
        isFocused: document.activeElement === button,
        selected: getSelection().toString(),
        changesOfSelected: log.length,
      }`,
    )
    assert.deepEqual(result, {
      text: 'PaidMorelinelinelineCopyaddress',
      isOpen: true,
      isFocused: true,
      selected: 'address',
      changesOfSelected: 0,
    })
  })
})
