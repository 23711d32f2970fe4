import { timingSafeEqual } from 'node:crypto'
import type { Account } from '../../domain/account/account.ts'
import { credentialHash } from '../../domain/account/credential.ts'
import { KNOWN_BROWSER } from '../../domain/account/sign-in.ts'
import { type Clock, nowSecs } from '../../ports/clock.ts'
import type { KeyedHash } from '../../ports/keyed-hash.ts'
import type { Random } from '../../ports/random.ts'
import type { Tx } from '../../ports/store.ts'

/**
 * Recognises browsers that have signed in to an account before, by a cookie. It holds one token for each of the last
 * accounts: a random id, the time, and a keyed hash (MAC) of both and the email. It gives no access and names no account.
 */
export interface KnownBrowsers {
  /**
   * Identifies a browser that has signed in to this email's account. Null for other browsers, and for those that the
   * account has forgotten. Reads the account only for a cookie that was issued for this email.
   */
  recognise(tx: Tx, cookie: string, email: string): Promise<Uint8Array | null>
  /** The cookie after a sign-in to this email's account. The browser keeps its id. */
  remember(tx: Tx, cookie: string, email: string): Promise<string>
  /**
   * Forgets the browsers that signed in to the account before, except this one: it has just proved that it reads the mails
   * to this email. Without a known browser, strangers who spend the codes of the email would lock the owner out.
   * @returns the browser's new cookie
   */
  forgetOthers(tx: Tx, cookie: string, account: Pick<Account, 'id' | 'email'>): Promise<string>
}

const ID_BYTES = 16
const TOKEN = /^([0-9a-f]{32})-(\d{1,12})-([0-9a-f]{64})$/

export function createKnownBrowsers(deps: {
  readonly clock: Clock
  readonly random: Random
  readonly keyedHash: KeyedHash
}): KnownBrowsers {
  const { clock, random, keyedHash } = deps

  const macInput = (id: string, issuedAt: number, email: string) => `${id} ${issuedAt} ${email}`

  /** The browser's id, if the token was issued for this email and is not too old. */
  function verify(token: string, email: string): { readonly id: string; readonly issuedAt: number } | null {
    const [, id = '', issuedAt = '', mac = ''] = TOKEN.exec(token) ?? []
    if (id === '' || Number(issuedAt) + KNOWN_BROWSER.lifetimeSecs <= nowSecs(clock)) return null
    const macs = keyedHash.allHashes('known browser', macInput(id, Number(issuedAt), email))
    return macs.some(expected => timingSafeEqual(expected, Buffer.from(mac, 'hex')))
      ? { id, issuedAt: Number(issuedAt) }
      : null
  }

  async function remember(tx: Tx, cookie: string, email: string): Promise<string> {
    const knownFrom = (await tx.accounts.browsersKnownFrom(email)) ?? 0
    const tokens = tokensOf(cookie)
    const earlier = tokens.find(token => verify(token, email) !== null)
    const found = earlier === undefined ? null : verify(earlier, email)
    const isKnown = found !== null && found.issuedAt >= knownFrom
    const id = isKnown ? found.id : Buffer.from(random.bytes(ID_BYTES)).toString('hex')
    const issuedAt = Math.max(nowSecs(clock), knownFrom)
    const mac = Buffer.from(keyedHash.hash('known browser', macInput(id, issuedAt, email))).toString('hex')
    const others = tokens.filter(token => token !== earlier && TOKEN.test(token))
    return [`${id}-${issuedAt}-${mac}`, ...others].slice(0, KNOWN_BROWSER.maxAccounts).join('.')
  }

  return {
    remember,

    async recognise(tx, cookie, email) {
      for (const token of tokensOf(cookie)) {
        const found = verify(token, email)
        if (!found) continue
        const knownFrom = await tx.accounts.browsersKnownFrom(email)
        return knownFrom !== null && found.issuedAt >= knownFrom ? credentialHash(found.id) : null
      }
      return null
    },

    async forgetOthers(tx, cookie, { id, email }) {
      // A browser that signed in within this second is forgotten too.
      await tx.accounts.setBrowsersKnownFrom(id, nowSecs(clock) + 1)
      return remember(tx, cookie, email)
    },
  }
}

function tokensOf(cookie: string): string[] {
  return cookie.split('.', KNOWN_BROWSER.maxAccounts)
}
