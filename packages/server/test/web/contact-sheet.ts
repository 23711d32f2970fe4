/**
 * Takes pictures of every state of the buyers' pages, in two widths and both themes, and puts them on one sheet:
 * `npm run contact-sheet -- [folder]`. Names that follow the folder choose states: `npm run contact-sheet -- out pay paid`.
 */
import { mkdirSync, mkdtempSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { pathToFileURL } from 'node:url'
import type { Browser } from 'playwright-core'
import { openBrowser } from './browser.ts'
import { type BuyerState, openBuyerStates, openState, STATE_VIEWS } from './checkout-states.ts'

interface Picture {
  readonly file: string
  readonly width: number
}

const STYLE = `body { margin: 16px; background: #777; color: #fff; font: 14px sans-serif }
section { display: flex; gap: 12px; align-items: start; margin-bottom: 28px } h2 { flex: none; width: 110px; margin: 0; font-size: 15px }
img { height: auto; display: block }`

async function takePictures(browser: Browser, folder: string, state: BuyerState): Promise<Picture[]> {
  const pictures: Picture[] = []
  for (const { name, width, colorScheme, height } of STATE_VIEWS) {
    const options = { viewport: { width, height }, colorScheme, locale: 'en-GB', reducedMotion: 'reduce' } as const
    const page = await openState(async given => (await browser.newContext(given)).newPage(), state, options)
    const file = `${state.name}-${name}.png`
    await page.screenshot({ path: join(folder, file), fullPage: width < 500 })
    pictures.push({ file, width })
    await page.context().close()
  }
  return pictures
}

/** The phone's pictures at half their size, the desktop's at a third. */
function sheetOf(rows: readonly (readonly [name: string, pictures: readonly Picture[]])[]): string {
  const row = (name: string, pictures: readonly Picture[]) =>
    `<section><h2>${name}</h2>${pictures.map(({ file, width }) => `<img src="${file}" alt="${file}" width="${width < 500 ? width / 2 : width / 3}">`).join('')}</section>`
  return `<!doctype html><meta charset="utf-8"><title>Contact sheet</title><style>${STYLE}</style>${rows.map(([name, pictures]) => row(name, pictures)).join('\n')}\n`
}

const [chosen, ...names] = process.argv.slice(2)
const folder = chosen === undefined ? mkdtempSync(join(tmpdir(), 'zatgate-contact-sheet-')) : resolve(chosen)
mkdirSync(folder, { recursive: true })
await using stack = new AsyncDisposableStack()
const browser = stack.adopt(await openBrowser(), it => it.close())
const all = await openBuyerStates(stack)
const states = names.length === 0 ? all : all.filter(({ name }) => names.includes(name))
if (states.length === 0) throw new Error(`no state is named so; there are ${all.map(({ name }) => name).join(', ')}`)
const rows: (readonly [string, readonly Picture[]])[] = []
for (const state of states) rows.push([state.name, await takePictures(browser, folder, state)])
const sheet = join(folder, 'contact-sheet.html')
writeFileSync(sheet, sheetOf(rows))
const page = await browser.newPage({ viewport: { width: 1_420, height: 800 } })
await page.goto(pathToFileURL(sheet).href)
await page.screenshot({ path: join(folder, 'contact-sheet.png'), fullPage: true })
process.stdout.write(`${rows.length} states, ${rows.length * STATE_VIEWS.length} pictures: ${sheet}\n`)
