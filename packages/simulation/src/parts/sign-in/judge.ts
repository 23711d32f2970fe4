import { createHash } from 'node:crypto'
import { createKeyedHash } from '@zatgate/server/adapters/crypto/keyed-hash'
import type { Rule } from '../../rules.ts'
import type { World } from '../../world/world.ts'
import {
  type CodeRow,
  codeChanges,
  countCredentials,
  isMailQueued,
  mostActiveKeys,
  readCodes,
  repeatedEmails,
  sessionLifetimes,
} from './ledger.ts'

const MAX_ATTEMPTS = 5
export const CODE_LIFETIME_SECS = 600
const SESSION_LIFETIME_SECS = 30 * 86_400
const MAX_ACTIVE_KEYS = 100
/** Requests for codes of unknown browsers in any window of this many seconds. */
const LIMITS = [
  { per: 'email', max: 10, windowSecs: 3_600, rule: 'at most 10 codes per email in 3600 s' },
  { per: 'email', max: 20, windowSecs: 86_400, rule: 'at most 20 codes per email in 86400 s' },
  { per: 'client', max: 100, windowSecs: 3_600, rule: 'at most 100 codes per client in 3600 s' },
] as const
/** The same for browsers that signed in to the account before, and for sessions. */
const KNOWN_LIMITS = [
  { per: 'known', max: 10, windowSecs: 3_600, rule: 'at most 10 codes per known browser in 3600 s' },
  { per: 'known', max: 20, windowSecs: 86_400, rule: 'at most 20 codes per known browser in 86400 s' },
  { per: 'email', max: 20, windowSecs: 3_600, rule: 'at most 20 codes per email for known browsers in 3600 s' },
  { per: 'email', max: 40, windowSecs: 86_400, rule: 'at most 40 codes per email for known browsers in 86400 s' },
] as const

/** A code that was entered. */
export interface Entry {
  readonly purpose: 'sign_in' | 'confirm'
  /** The secret of the browser. */
  readonly browser: string
  readonly code: string
  /** When the code was entered. */
  readonly startedMs: number
  /** When the request for the code was answered. */
  readonly requestedMs: number
  /** Wrong codes of this browser whose answer came before. */
  readonly wrongBefore: number
}

/** Checks codes, sessions and API keys. */
export class SignInJudge {
  readonly #world: World
  #codes: ReadonlyMap<bigint, CodeRow> | null = null
  /** Rows whose code was replaced, because their mail was repeated. */
  #replaced: { readonly row: CodeRow; readonly atMs: number }[] = []
  #changes = ''
  #credentials: ReturnType<typeof countCredentials> | null = null
  /** Session tokens that owners have ordered; each permits one session. */
  #orderedTokens = 0
  /** Accounts by their emails, as clients know them. */
  readonly #accounts = new Map<string, string>()

  constructor(world: World) {
    this.#world = world
    // The restored content is taken as it is.
    world.onRestore(() => {
      this.#codes = null
      this.#replaced = []
      this.#credentials = null
      this.#changes = ''
      this.#orderedTokens = 0
      this.#accounts.clear()
    })
  }

  /** An owner orders a session token. */
  ordersToken(): void {
    this.#orderedTokens += 1
  }

  check(): void {
    const used = this.#checkCodes()
    const before = this.#credentials
    this.#credentials = countCredentials(this.#world)
    if (before) this.#checkCredentials(before, used)
  }

  /** @returns the number of sign-in codes that were used in this commit */
  #checkCodes(): number {
    const changes = codeChanges(this.#world)
    if (changes === this.#changes) return 0
    this.#changes = changes
    const before = this.#codes
    const rows = readCodes(this.#world)
    this.#codes = new Map(rows.map(row => [row.id, row]))
    if (!before) return 0
    let used = 0
    for (const row of rows) {
      const earlier = before.get(row.id)
      if (!earlier) this.#checkRequest(row, rows)
      if (row.used_at !== null && (earlier?.used_at ?? null) === null && row.purpose === 'sign_in') used += 1
      if (earlier) this.#checkCode(earlier, row)
      if (earlier?.code_hash && Buffer.compare(earlier.code_hash, row.code_hash ?? Buffer.alloc(0)) !== 0)
        this.#replaced.push({ row: earlier, atMs: this.#world.scheduler.nowMs })
    }
    return used
  }

  /** A request is within the limits, and its mail is queued with it. */
  #checkRequest(row: CodeRow, rows: readonly CodeRow[]): void {
    this.#world.transition('code', null, 'requested')
    if (row.expires_at - row.created_at !== BigInt(CODE_LIFETIME_SECS))
      this.#fail('a code is valid for 10 minutes', row)
    for (const { per, max, windowSecs, rule } of row.known === null ? LIMITS : KNOWN_LIMITS) {
      const count = rows.filter(
        other =>
          other.purpose === row.purpose &&
          (other.known === null) === (row.known === null) &&
          other[per] === row[per] &&
          other.created_at <= row.created_at &&
          other.created_at > row.created_at - BigInt(windowSecs),
      ).length
      if (count > max) this.#fail(rule, row, `${count}`)
    }
    // A batch of SQLite may send the mail of one use case in the commit of another.
    if (this.#world.useCases === 1 && !isMailQueued(this.#world, row.id)) this.#fail('a requested code is mailed', row)
  }

  #checkCode(before: CodeRow, row: CodeRow): void {
    if (row.attempts > BigInt(MAX_ATTEMPTS)) this.#fail('a code has 5 attempts', row)
    if (row.attempts < before.attempts) this.#fail('an attempt stays counted', row)
    if (before.used_at !== null && (row.used_at !== before.used_at || row.attempts !== before.attempts))
      this.#fail('a code works once', row)
    if (row.used_at !== null && row.attempts === before.attempts && before.used_at === null)
      this.#fail('a code is used by an attempt', row)
    if (row.used_at !== null && before.used_at === null) this.#world.transition('code', 'requested', 'used')
    if (row.attempts === BigInt(MAX_ATTEMPTS) && row.used_at === null)
      this.#world.transition('code', 'requested', 'blocked')
  }

  #checkCredentials(before: ReturnType<typeof countCredentials>, used: number): void {
    const now = this.#credentials!
    const sessions = Number(now.sessions - before.sessions)
    if (sessions > 0 || used > 0) {
      const ordered = sessions - used
      this.#orderedTokens -= Math.max(0, ordered)
      if (ordered < 0 || this.#orderedTokens < 0)
        this.#world.fail('a session begins with a code or an order', `${sessions} sessions, ${used} codes`)
      if (sessionLifetimes(this.#world).some(secs => secs !== BigInt(SESSION_LIFETIME_SECS)))
        this.#world.fail('a session is valid for 30 days', 'a session has another lifetime')
    }
    if (now.keys !== before.keys && mostActiveKeys(this.#world) > BigInt(MAX_ACTIVE_KEYS))
      this.#world.fail('an account has at most 100 API keys', `${mostActiveKeys(this.#world)}`)
    if (now.accounts !== before.accounts)
      for (const email of repeatedEmails(this.#world)) this.#world.fail('an email has one account', email)
  }

  /** A code was accepted. */
  accepted({ purpose, browser, code, startedMs, requestedMs, wrongBefore }: Entry): void {
    const hash = createHash('sha256').update(browser).digest('hex').toUpperCase()
    const isOfBrowser = (row: CodeRow) => row.browser === hash && row.purpose === purpose
    const rows = [...(this.#codes?.values() ?? readCodes(this.#world))].filter(isOfBrowser)
    const replaced = this.#replaced.filter(({ atMs }) => atMs >= startedMs).map(({ row }) => row)
    const accepted = [...rows, ...replaced.filter(isOfBrowser)].find(version => this.#isCodeOf(version, code))
    const row = rows.find(({ id }) => id === accepted?.id)
    const { clockErrors } = this.#world
    const rangeMs = clockErrors.maxMs - clockErrors.minMs
    if (!row) {
      // A process whose clock is a day ahead deletes all earlier codes.
      if (rangeMs >= 86_400_000) return
      this.#world.fail('a code works only in its browser', `${code} was accepted in another one`)
      return
    }
    if (row !== rows.at(-1)) this.#fail('only the newest code of a browser works', row)
    if (row.used_at === null) this.#fail('an answered request is committed', row, 'the code is not used')
    if (wrongBefore >= MAX_ATTEMPTS) this.#fail('a code has 5 attempts', row, `${wrongBefore} wrong ones before`)
    const ageMs = startedMs - requestedMs - rangeMs
    if (ageMs >= CODE_LIFETIME_SECS * 1000) this.#fail('a code is valid for 10 minutes', row, `${ageMs} ms old`)
  }

  #isCodeOf({ id, code_hash: stored }: CodeRow, code: string): boolean {
    return this.#world.encryptionKeys().some(key => {
      const expected = createKeyedHash([key]).hash('code', `${id} ${code}`)
      return stored !== null && Buffer.compare(stored, expected) === 0
    })
  }

  /** A client has learned to which account an email belongs. */
  accountTold(email: string, publicId: string): void {
    const known = this.#accounts.get(email)
    if (known !== undefined && known !== publicId) this.#world.fail('an email has one account', email)
    this.#accounts.set(email, publicId)
  }

  #fail(rule: Rule, { id, email, purpose }: CodeRow, detail = ''): void {
    this.#world.fail(rule, `code ${id} (${purpose}) of ${email}${detail && `: ${detail}`}`)
  }
}
