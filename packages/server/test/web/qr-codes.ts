import type { Page } from 'playwright-core'
import { readQrCode } from '../harness/qr-decoder.ts'
import { type BuyerState, type OpenPage, openState, STATE_VIEWS } from './checkout-states.ts'

const MIN_QUIET_ZONE = 4
/** A measured edge lies on a whole pixel. */
const ROUNDING = 0.25
/** The states that have a code. */
export const WITH_CODE: readonly string[] = [
  'pay',
  'pay-plain',
  'open-amount',
  'part-paid',
  'short',
  'swap-deposit',
  'swap-incomplete',
]

/**
 * The faults of the QR code of a state in both themes and widths: read by another library, it says what its link or the text
 * beside it says, and it has its quiet zone.
 */
export async function qrCodeProblems(open: OpenPage, state: BuyerState): Promise<string[]> {
  const problems: string[] = []
  for (const { name, width, height, colorScheme } of STATE_VIEWS) {
    const options = { viewport: { width, height }, colorScheme, deviceScaleFactor: width < 500 ? 2 : 1 }
    const page = await openState(open, state, options)
    problems.push(...(await problemsOn(page)).map(problem => `${state.name}, ${name}, QR code: ${problem}`))
    await page.context().close()
  }
  return problems
}

async function problemsOn(page: Page): Promise<string[]> {
  const code = page.locator('svg.qr')
  if (!(await code.isVisible())) await page.getByText('Show the QR code').click()
  await code.waitFor()
  const { text, quietZone, isDarkOnLight } = await readQrCode(await code.screenshot())
  const link = await page.evaluate(`document.querySelector('svg.qr').closest('a')?.getAttribute('href') ?? null`)
  const beside = await page.locator('.facts code').allTextContents()
  const says = link === null ? beside.includes(text) : text === link && beside.includes(addressOf(text))
  return [
    ...(says ? [] : [`${text}, beside ${beside}, in the link ${link}`]),
    ...(quietZone >= MIN_QUIET_ZONE - ROUNDING ? [] : [`a quiet zone of ${quietZone} modules`]),
    ...(isDarkOnLight ? [] : ['light on dark']),
  ]
}

/** `zcash:address?amount=1` → address */
function addressOf(uri: string): string {
  return uri.replace(/^\w+:/, '').split('?')[0] ?? ''
}
