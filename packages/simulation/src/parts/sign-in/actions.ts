import { type Action, action } from '../../run/part.ts'
import type { Draw } from '../../runtime/draw.ts'
import type { World } from '../../world/world.ts'
import type { ApiKeyOwners } from './api-keys.ts'
import type { Browser, Visitors } from './visitors.ts'

export function signInActions(world: World, visitors: Visitors, owners: ApiKeyOwners): readonly Action[] {
  /** An action of a person at a browser, mostly at the last one. */
  function inBrowser(name: string, weight: number, run: (draw: Draw, browser: Browser) => Promise<void>): Action {
    return visit(name, weight, draw => {
      const { browsers } = visitors
      const browser = draw.chance(0.7) ? browsers.at(-1) : browsers[draw.int(0, browsers.length - 1)]
      return browser && (() => run(draw, browser))
    })
  }

  /** @param prepare returns what to do now, or undefined */
  function visit(name: string, weight: number, prepare: (draw: Draw) => (() => Promise<void>) | undefined): Action {
    return action(name, weight, draw => {
      const work = prepare(draw)
      if (!work) return undefined
      world.client(name, work)
      return `a visitor: ${name}`
    })
  }

  /** The code of the last mail, or of another one. */
  function mailedCode(draw: Draw, email: string): string | undefined {
    const codes = visitors.codesOf(email)
    return draw.chance(0.8) ? codes.at(-1) : codes[draw.int(0, codes.length - 1)]
  }

  const merchant = (draw: Draw) => draw.pick(world.shop.merchants).email
  const session = (draw: Draw) => visitors.sessions[draw.int(0, visitors.sessions.length - 1)]

  return [
    visit('request a code', 6, draw => () => visitors.requestCode(draw, draw.pick(visitors.emails))),
    visit('sign in', 3, draw => () => visitors.signIn(draw, draw.pick(visitors.emails))),
    visit('request many codes at once', 1, draw => async () => {
      const email = draw.pick(visitors.emails)
      await Promise.all(Array.from({ length: draw.int(6, 12) }, () => visitors.requestCode(draw, email)))
    }),
    inBrowser('enter the mailed code', 6, async (draw, browser) => {
      const code = mailedCode(draw, browser.email)
      if (code !== undefined) await visitors.enter(draw, browser, code)
    }),
    inBrowser('enter a code several times at once', 2, async (draw, browser) => {
      const code = mailedCode(draw, browser.email)
      if (code === undefined) return
      await Promise.all(Array.from({ length: draw.int(2, 4) }, () => visitors.enter(draw, browser, code)))
    }),
    inBrowser('guess codes, then enter the mailed one', 2, async (draw, browser) => {
      for (let guesses = draw.int(1, 7); guesses > 0; guesses--)
        await visitors.enter(draw, browser, visitors.wrongCode(draw, browser.email))
      const code = mailedCode(draw, browser.email)
      if (code !== undefined) await visitors.enter(draw, browser, code)
    }),
    inBrowser('guess many codes at once', 1, async (draw, browser) => {
      const guesses = Array.from({ length: draw.int(5, 9) }, () => visitors.wrongCode(draw, browser.email))
      await Promise.all(guesses.map(code => visitors.enter(draw, browser, code)))
      const code = mailedCode(draw, browser.email)
      if (code !== undefined) await visitors.enter(draw, browser, code)
    }),
    visit('enter a code of another browser', 1, draw => {
      const browser = visitors.browsers.at(-1)
      const other = visitors.browsers.find(({ email }) => email !== browser?.email)
      const code = browser && mailedCode(draw, browser.email)
      return other && code !== undefined ? () => visitors.enter(draw, other, code) : undefined
    }),
    visit('order a session token', 1, draw => () => visitors.orderToken(draw, merchant(draw))),
    visit('use a session', 3, draw => {
      const used = session(draw)
      return used && (() => visitors.use(draw, used))
    }),
    visit('end a session and use it', 2, draw => {
      const ended = session(draw)
      return (
        ended &&
        (async () => {
          const together = draw.chance(0.5) ? [visitors.use(draw, ended)] : []
          await Promise.all([visitors.end(draw, ended), ...together])
          await visitors.use(draw, ended)
        })
      )
    }),
    visit('request a confirmation code', 1, draw => {
      const confirming = session(draw)
      return confirming && (() => visitors.requestConfirmation(draw, confirming))
    }),
    visit('enter a confirmation code', 2, draw => {
      const confirmed = visitors.sessions.findLast(({ confirming }) => confirming !== null)
      const code = confirmed && visitors.codesOf(confirmed.email, 'confirmation code').at(-1)
      if (!confirmed?.confirming || code === undefined) return undefined
      const { confirming } = confirmed
      return () => visitors.confirm(draw, confirmed, confirming, code)
    }),
    visit('create an API key', 2, draw => () => owners.create(draw, merchant(draw))),
    visit('create API keys up to the limit', 0.3, draw => () => owners.createUpToLimit(draw, merchant(draw))),
    visit('use an API key', 2, draw => {
      const key = owners.pick(draw)
      return key && (() => owners.use(draw, key))
    }),
    visit('revoke an API key and use it', 2, draw => {
      const key = owners.pick(draw)
      return (
        key &&
        (async () => {
          await Promise.all([owners.revoke(draw, key), owners.use(draw, key)])
          await owners.use(draw, key)
        })
      )
    }),
  ]
}
