import { timingSafeEqual } from 'node:crypto'
import type { Actor, AuditKind } from '../../domain/account/audit.ts'
import { CODE_REQUEST_RETENTION_SECS, widerNetworks } from '../../domain/account/code-budget.ts'
import { credentialHash } from '../../domain/account/credential.ts'
import { type CodePurpose, codeHashInput, SIGN_IN_CODE } from '../../domain/account/sign-in.ts'
import { AppError } from '../../domain/error.ts'
import { type Clock, nowSecs } from '../../ports/clock.ts'
import type { KeyedHash } from '../../ports/keyed-hash.ts'
import type { Log } from '../../ports/log.ts'
import type { Metrics } from '../../ports/metrics.ts'
import type { NewSignInCode, SignInCode } from '../../ports/repository/account/sign-in.ts'
import type { Tx } from '../../ports/store.ts'
import { recordVisit } from './audit.ts'
import { findUsableCode, refundBudget, reportSpent, type Spending, spendAttempt, spendRequest } from './code-budget.ts'

/** Codes that are mailed, and entered once in the browser that requested them. */
export interface OneTimeCodes {
  request(purpose: CodePurpose, fields: CodeRequest): NewSignInCode
  /** Counts the request and queues the mail. @throws AppError `too_many_codes` */
  issue(tx: Tx, request: NewSignInCode): Promise<Spending>
  /** Sends a code unless an unused one exists. Returns null if one does. @throws AppError `too_many_codes` */
  issueUnlessUsable(tx: Tx, request: NewSignInCode): Promise<Spending | null>
  /**
   * Marks the browser's code as used. The attempt at a wrong code stays counted.
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

/** The email and the browser that request a code. */
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
  /** The part of the budget of wrong codes that the attempt has taken. */
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

  /** Counts an attempt. A right code is not marked as used yet. */
  async function attempt(tx: Tx, purpose: CodePurpose, browser: string, code: string, actor: Actor): Promise<Attempt> {
    const now = nowSecs(clock)
    const spent = await spendAttempt(tx, purpose, credentialHash(browser), code.length, now)
    if (!spent) return { redeemed: null, spending: null }
    const { candidate, isAllowed, spending } = spent
    const { id, codeHash } = candidate
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
    const spending = await spendRequest(tx, request)
    if ('retryAfterSecs' in spending) throw new AppError('too_many_codes', { retryAfterSecs: spending.retryAfterSecs })
    const { id } = await tx.signIn.insert(request)
    const queue = request.knownBrowserHash === null ? 'unsorted' : 'browser'
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
      const earlier = await findUsableCode(tx, request.purpose, request.browserHash, request.createdAt)
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
