import assert from 'node:assert/strict'
import { AxeBuilder } from '@axe-core/playwright'
import type { Page } from 'playwright-core'

/** The rules of axe that depend on colours, which are all that differs in the dark theme. */
const COLOUR_RULES = ['color-contrast', 'link-in-text-block']

/** Asserts no accessibility violation in either theme and no horizontal scrolling at either width. */
export async function inspect(page: Page): Promise<void> {
  const where = new URL(page.url()).pathname
  for (const colorScheme of ['light', 'dark'] as const) {
    await page.emulateMedia({ colorScheme })
    const axe = new AxeBuilder({ page }).setLegacyMode(page.frames().length === 1)
    const { violations } = await (colorScheme === 'light' ? axe : axe.withRules(COLOUR_RULES)).analyze()
    assert.deepEqual(
      violations.map(({ id, nodes }) => `${id}: ${nodes[0]?.html}`),
      [],
      `${where}, ${colorScheme}`,
    )
  }
  for (const width of [360, 1280]) {
    await page.setViewportSize({ width, height: 800 })
    const over = await page.evaluate('document.documentElement.scrollWidth - document.documentElement.clientWidth')
    assert.equal(over, 0, `${where} scrolls sideways at ${width} px`)
  }
}
