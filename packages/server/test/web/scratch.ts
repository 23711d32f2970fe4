import { mkdirSync } from 'node:fs'
import { openBrowser } from './browser.ts'
import { openBuyerStates, openState } from './checkout-states.ts'
mkdirSync('/tmp/sheet', { recursive: true })
await using stack = new AsyncDisposableStack()
const t = performance.now()
const states = await openBuyerStates(stack)
console.log(states.length, performance.now() - t)
const browser = stack.adopt(await openBrowser(), it => it.close())
for (const s of states) {
  const t = performance.now()
  try {
    const page = await openState(async o => (await browser.newContext(o)).newPage(), s, { viewport: { width: 360, height: 740 } })
    await page.screenshot({ path: `/tmp/sheet/${s.name}.png`, fullPage: true })
    await page.context().close()
  } catch (e) { console.log(s.name, s.url, String(e).slice(0, 300)) }
  console.log(s.name, Math.round(performance.now() - t))
}
