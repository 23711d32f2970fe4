import { timingSafeEqual } from 'node:crypto'
import type { Actor, AuditKind } from '../domain/audit.ts'
import { credentialHash } from '../domain/credential.ts'
import { AppError } from '../domain/error.ts'
import {
  CODE_REQUEST_RETENTION_SECS,
  type CodePurpose,
  type CodeRequestLimit,
  codeHashInput,
  codeRequestLimits,
  KNOWN_BROWSER_WRONG_CODES,
  SIGN_IN_CODE,
  widerNetworks,
} from '../domain/sign-in.ts'
import { type Clock, nowSecs } from '../ports/clock.ts'
import type { KeyedHash } from '../ports/keyed-hash.ts'
import type { Log } from '../ports/log.ts'
import type { Metrics } from '../ports/metrics.ts'
import type { CodeRequestScope, NewSignInCode, SignInCode } from '../ports/repository/sign-in.ts'
import type { Tx } from '../ports/store.ts'
import { recordVisit } from './audit.ts'
import { refundBudget, reportSpent, type Spending, spendBudget } from './sign-in-budget.ts'

/** Codes that are mailed, and entered once in the browser that requested them. */
export interface OneTimeCodes {
  request(purpose: CodePurpose, fields: CodeRequest): NewSignInCode
  /**
   * Checks the limits and queues the mail in one transaction, so that concurrent requests cannot exceed a limit.
   * @throws AppError `too_many_codes`
   */
  issue(tx: Tx, request: NewSignInCode): Promise<Spending>
  /** Sends a code unless an unused one exists. Returns null if one does. @throws AppError `too_many_codes` */
  issueUnlessUsable(tx: Tx, request: NewSignInCode): Promise<Spending | null>
  /**
   * Marks the browser's code as used. The attempt at a wrong code stays counted. An attempt at a code of six digits must be
   * within the budget of wrong codes: of all emails in an unknown browser, of this email in a known one.
   */
  redeem(tx: Tx, purpose: CodePurpose, browser: string, code: string, actor: Actor): Promise<Attempt>
  /** As `redeem`, for several codes of one browser. They are marked as used only when all are right. */
  redeemAll(
    tx: Tx,
    codes: readonly { readonly purpose: CodePurpose; readonly browser: string; readonly code: string }[],
    actor: Actor,
  ): Promise<readonly Attempt[]>
  /** Reports what an issued code has taken from a budget. Call after the commit. */
  reportIssued(spending: Spending | null): void
  /** Counts an attempt at a wrong code. Call after the commit. */
  reportWrong(attempt: Attempt): void
}

/** Who requests a code. */
export interface CodeRequest {
  readonly email: string
  /** A secret of the browser, which it must present with the code. */
  readonly browser: string
  /** Address prefix that identifies the client. */
  readonly client: string
  /** Identifies a browser that has signed in to the account; null for other browsers. */
  readonly knownBrowserHash: Uint8Array | null
}

/** An attempt at a code. */
export interface Attempt {
  /** Null for a wrong code. */
  readonly redeemed: SignInCode | null
  /** What the attempt has taken from the budget of wrong codes. */
  readonly spending: Spending | null
}

const PRUNE_BATCH = 10
/** Null: the email of the code is not that of an account. */
const FAILURES: Readonly<Record<CodePurpose, AuditKind | null>> = {
  sign_in: 'sign_in_failed',
  confirm: 'confirmation_failed',
  present_email: 'confirmation_failed',
  new_email: null,
}

export function createOneTimeCodes(deps: {
  readonly clock: Clock
  readonly keyedHash: KeyedHash
  readonly log: Log
  readonly metrics: Pick<Metrics, 'wrongCode' | 'signInBudgetSpent'>
}): OneTimeCodes {
  const { clock, keyedHash, metrics } = deps

  function request(purpose: CodePurpose, { email, browser, client, knownBrowserHash }: CodeRequest): NewSignInCode {
    const createdAt = nowSecs(clock)
    const networks = knownBrowserHash === null ? widerNetworks(client) : null
    return {
      purpose,
      email,
      browserHash: credentialHash(browser),
      clientHash: keyedHash.hash('client', client),
      networkHashes: networks && {
        network56: keyedHash.hash('client', networks.network56),
        network48: keyedHash.hash('client', networks.network48),
      },
      knownBrowserHash,
      createdAt,
      expiresAt: createdAt + SIGN_IN_CODE.lifetimeSecs,
    }
  }

  /** Whether the wrong codes of all unknown browsers, or of the email's known ones, leave an attempt at six digits. */
  async function spendAttempt(tx: Tx, { email, isKnownBrowser }: SignInCode, now: number) {
    if (!isKnownBrowser) {
      const spending = await spendBudget(tx, 'wrong_codes', 1, now)
      return { spending, isAllowed: spending.granted > 0 }
    }
    // This attempt is counted already.
    const isAllowed = (await wrongInKnownBrowsers(tx, email, now)) <= KNOWN_BROWSER_WRONG_CODES.max
    return { spending: null, isAllowed }
  }

  /** Counts an attempt. A right code is not marked as used yet. */
  async function attempt(tx: Tx, purpose: CodePurpose, browser: string, code: string, actor: Actor): Promise<Attempt> {
    const now = nowSecs(clock)
    const candidate = await tx.signIn.claimAttempt(purpose, credentialHash(browser), now, SIGN_IN_CODE.maxAttempts)
    if (!candidate?.codeHash) return { redeemed: null, spending: null }
    const { id, codeHash } = candidate
    const { spending, isAllowed } =
      code.length === SIGN_IN_CODE.digits ? await spendAttempt(tx, candidate, now) : { spending: null, isAllowed: true }
    const isRight =
      isAllowed && keyedHash.allHashes('code', codeHashInput(id, code)).some(hash => timingSafeEqual(codeHash, hash))
    if (!isRight) {
      const kind = FAILURES[purpose]
      if (kind) await recordVisit(tx, candidate.email, actor, { kind, at: now })
      return { redeemed: null, spending }
    }
    if (spending) await refundBudget(tx, spending, now)
    return { redeemed: candidate, spending: null }
  }

  async function redeemAll(
    tx: Tx,
    entered: readonly { readonly purpose: CodePurpose; readonly browser: string; readonly code: string }[],
    actor: Actor,
  ): Promise<Attempt[]> {
    const attempts: Attempt[] = []
    for (const { purpose, browser, code } of entered) attempts.push(await attempt(tx, purpose, browser, code, actor))
    const redeemed = attempts.flatMap(({ redeemed }) => redeemed ?? [])
    if (redeemed.length === entered.length) for (const { id } of redeemed) await tx.signIn.markUsed(id, nowSecs(clock))
    return attempts
  }

  async function redeem(tx: Tx, purpose: CodePurpose, browser: string, code: string, actor: Actor): Promise<Attempt> {
    const [first] = await redeemAll(tx, [{ purpose, browser, code }], actor)
    return first as Attempt
  }

  async function issue(tx: Tx, request: NewSignInCode): Promise<Spending> {
    const { email, createdAt } = request
    const isKnownBrowser = request.knownBrowserHash !== null
    await tx.signIn.lockCounts()
    for (const limit of codeRequestLimits(isKnownBrowser)) await checkLimit(tx, request, limit)
    const spending = await spendBudget(tx, isKnownBrowser ? 'browser' : 'requests', 1, createdAt)
    if (spending.granted === 0) throw tooManyCodes(spending.endsAt - createdAt)
    const { id } = await tx.signIn.insert(request)
    const queue = isKnownBrowser ? 'browser' : 'unsorted'
    await tx.mails.enqueueCode({ to: email, about: 'code', codeId: id, createdAt }, queue)
    await tx.signIn.prune(createdAt - CODE_REQUEST_RETENTION_SECS, PRUNE_BATCH)
    return spending
  }

  return {
    request,
    issue,
    redeem,
    redeemAll,

    async issueUnlessUsable(tx, request) {
      const { purpose, browserHash, createdAt } = request
      const earlier = await tx.signIn.findUsable(purpose, browserHash, createdAt, SIGN_IN_CODE.maxAttempts)
      return earlier ? null : issue(tx, request)
    },

    reportIssued(spending) {
      if (spending) reportSpent(deps, spending)
    },

    reportWrong({ spending }) {
      metrics.wrongCode()
      if (spending) reportSpent(deps, spending)
    },
  }
}

async function checkLimit(tx: Tx, request: NewSignInCode, { per, max, windowSecs }: CodeRequestLimit): Promise<void> {
  const scope = scopeOf(request, per)
  if (scope === null) return
  const used = await tx.signIn.count(request.purpose, scope, request.createdAt - windowSecs, max)
  if (used >= max) throw tooManyCodes(windowSecs)
}

/** Null when the request has no such scope. */
function scopeOf(request: NewSignInCode, per: CodeRequestLimit['per']): CodeRequestScope | null {
  const { email, clientHash, networkHashes, knownBrowserHash } = request
  switch (per) {
    case 'email':
      return { email, isKnownBrowser: knownBrowserHash !== null }
    case 'browser':
      return knownBrowserHash && { knownBrowserHash }
    case 'client':
      return { clientHash }
    case 'network56':
      return networkHashes && { network56Hash: networkHashes.network56 }
    case 'network48':
      return networkHashes && { network48Hash: networkHashes.network48 }
  }
}

/** Number of wrong codes that known browsers entered for this email within a day. */
export function wrongInKnownBrowsers(tx: Pick<Tx, 'signIn'>, email: string, now: number): Promise<number> {
  return tx.signIn.wrongInKnownBrowsers(email, now - KNOWN_BROWSER_WRONG_CODES.windowSecs)
}

function tooManyCodes(retryAfterSecs: number): AppError {
  return new AppError('too_many', 'too_many_codes', 'too many codes requested, try again later', { retryAfterSecs })
}

export function badCode(): AppError {
  return new AppError('invalid', 'bad_code', 'the code is wrong or no longer valid')
}
