import { timingSafeEqual } from 'node:crypto'
import { credentialHash } from '../domain/credential.ts'
import { KNOWN_BROWSER } from '../domain/sign-in.ts'
import { type Clock, nowSecs } from '../ports/clock.ts'
import type { KeyedHash } from '../ports/keyed-hash.ts'
import type { Random } from '../ports/random.ts'

/**
 * Recognises browsers that have signed in to an account before, by a cookie. It holds one token for each of the last
 * accounts: a random id, the time, and a keyed hash (MAC) of both and the email. It gives no access and names no account.
 */
export interface KnownBrowsers {
  /** Identifies a browser that has signed in to this email's account. Null for other browsers. Reads no database. */
  recognise(cookie: string, email: string): Uint8Array | null
  /** The cookie after a sign-in to this email's account. The browser keeps its id. */
  remember(cookie: string, email: string): string
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

  /** The browser's id, if the token was issued for this email and is still valid. */
  function verify(token: string, email: string): string | null {
    const [, id = '', issuedAt = '', mac = ''] = TOKEN.exec(token) ?? []
    if (id === '' || Number(issuedAt) + KNOWN_BROWSER.lifetimeSecs <= nowSecs(clock)) return null
    const macs = keyedHash.allHashes('known browser', macInput(id, Number(issuedAt), email))
    return macs.some(expected => timingSafeEqual(expected, Buffer.from(mac, 'hex'))) ? id : null
  }

  return {
    recognise(cookie, email) {
      for (const token of tokensOf(cookie)) {
        const id = verify(token, email)
        if (id !== null) return credentialHash(id)
      }
      return null
    },

    remember(cookie, email) {
      const tokens = tokensOf(cookie)
      const earlier = tokens.find(token => verify(token, email) !== null)
      const id = (earlier && verify(earlier, email)) ?? Buffer.from(random.bytes(ID_BYTES)).toString('hex')
      const issuedAt = nowSecs(clock)
      const mac = Buffer.from(keyedHash.hash('known browser', macInput(id, issuedAt, email))).toString('hex')
      const others = tokens.filter(token => token !== earlier && TOKEN.test(token))
      return [`${id}-${issuedAt}-${mac}`, ...others].slice(0, KNOWN_BROWSER.maxAccounts).join('.')
    },
  }
}

function tokensOf(cookie: string): string[] {
  return cookie.split('.', KNOWN_BROWSER.maxAccounts)
}
