import assert from 'node:assert/strict'
import axe from 'axe-core'
import type { Page } from 'playwright-core'

/** The rules of axe that depend on colours, which are all that differs in the dark theme. */
const COLOUR_RULES = ['color-contrast', 'link-in-text-block']

/** The accessibility violations of a page and its loaded frames in either theme: the rule, and the first element. */
export async function findBarriers(page: Page): Promise<string[]> {
  const found: string[] = []
  for (const colorScheme of ['light', 'dark'] as const) {
    await page.emulateMedia({ colorScheme })
    const options = {
      iframes: false,
      resultTypes: ['violations'],
      ...(colorScheme === 'dark' && { runOnly: COLOUR_RULES }),
    }
    for (const frame of page.frames().filter(frame => frame.url().startsWith('http'))) {
      // A fifth of the time of the package for Playwright, which loads axe anew and fetches all that was checked.
      if (!(await frame.evaluate("'axe' in window"))) await frame.evaluate(axe.source)
      const violations = await frame.evaluate<string[]>(`axe.run(document, ${JSON.stringify(options)})
        .then(({ violations }) => violations.map(({ id, nodes }) => id + ': ' + nodes[0].html))`)
      found.push(...violations.map(violation => `${new URL(frame.url()).pathname}, ${colorScheme}: ${violation}`))
    }
  }
  return found
}

/** Asserts no accessibility violation in either theme and no horizontal scrolling at either width. */
export async function inspect(page: Page): Promise<void> {
  assert.deepEqual(await findBarriers(page), [])
  for (const width of [360, 1280]) {
    await page.setViewportSize({ width, height: 800 })
    const over = await page.evaluate('document.documentElement.scrollWidth - document.documentElement.clientWidth')
    assert.equal(over, 0, `${new URL(page.url()).pathname} scrolls sideways at ${width} px`)
  }
}
