import {
  CODE_BUDGETS,
  type CodeBudget,
  grant,
  isSpent,
  requestBudgets,
  type SharedBudget,
  windowOf,
} from '../../domain/account/code-budget.ts'
import { type CodePurpose, LONG_CODE_PURPOSES, SIGN_IN_CODE } from '../../domain/account/sign-in.ts'
import type { Log } from '../../ports/log.ts'
import type { Metrics } from '../../ports/metrics.ts'
import type { CodeRequestScope, NewSignInCode, SignInCode } from '../../ports/repository/account/sign-in.ts'
import type { Tx } from '../../ports/store.ts'

/** An amount taken from a budget of the whole service. */
export interface Spending {
  readonly budget: SharedBudget
  /** At most what was asked for. */
  readonly granted: number
  /** Whether this took the last of it. */
  readonly isLast: boolean
  /** When the next window begins. */
  readonly endsAt: number
}

type CodeTx = Pick<Tx, 'signIn'>

/**
 * Whether a code may be requested. Other requests wait until the transaction ends, so that concurrent ones cannot exceed a
 * limit.
 * @returns how long to wait when a budget is spent
 */
export async function spendRequest(
  tx: CodeTx,
  request: NewSignInCode,
): Promise<Spending | { readonly retryAfterSecs: number }> {
  const { purpose, createdAt, knownBrowserHash } = request
  const isKnownBrowser = knownBrowserHash !== null
  await tx.signIn.lockCounts()
  for (const budget of requestBudgets(isKnownBrowser)) {
    const scope = scopeOf(request, budget.per)
    if (scope === null) continue
    const used = await tx.signIn.count(purpose, scope, createdAt - budget.windowSecs, budget.max)
    if (isSpent(budget, used)) return { retryAfterSecs: budget.windowSecs }
  }
  const spending = await spendBudget(tx, isKnownBrowser ? 'browser' : 'requests', 1, createdAt)
  return spending.granted > 0 ? spending : { retryAfterSecs: spending.endsAt - createdAt }
}

/** Null when the request has no such key, or it is counted with the attempts or for the whole service. */
function scopeOf(request: NewSignInCode, per: CodeBudget['per']): CodeRequestScope | null {
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
    case 'code':
    case 'service':
      return null
  }
}

/** Whether the mailed code has ten digits: a code for a change of the email, and others while wrong ones are too many. */
export async function needsLongCode(
  tx: CodeTx,
  { purpose, email, isKnownBrowser }: SignInCode,
  now: number,
): Promise<boolean> {
  if (LONG_CODE_PURPOSES.has(purpose)) return true
  if (isKnownBrowser) return isSpent(CODE_BUDGETS.known_wrong_codes, await wrongInKnownBrowsers(tx, email, now))
  const { startsAt } = windowOf(CODE_BUDGETS.wrong_codes, now)
  return isSpent(CODE_BUDGETS.wrong_codes, await tx.signIn.budgetUsed('wrong_codes', startsAt))
}

/** The browser's newest code, if it can be tried. Counts no attempt. */
export function findUsableCode(
  tx: CodeTx,
  purpose: CodePurpose,
  browserHash: Uint8Array,
  now: number,
): Promise<SignInCode | null> {
  return tx.signIn.findUsable(purpose, browserHash, now, CODE_BUDGETS.attempts.max)
}

interface SpentAttempt {
  readonly candidate: SignInCode & { readonly codeHash: Uint8Array }
  readonly isAllowed: boolean
  /** The part of the budget of wrong codes that the attempt has taken. A right code returns it. */
  readonly spending: Spending | null
}

/**
 * Counts an attempt at the browser's newest code. Null when none can be tried.
 * @param digits number of digits entered. Only codes of six take from the budgets of wrong codes.
 */
export async function spendAttempt(
  tx: CodeTx,
  purpose: CodePurpose,
  browserHash: Uint8Array,
  digits: number,
  now: number,
): Promise<SpentAttempt | null> {
  const code = await tx.signIn.claimAttempt(purpose, browserHash, now, CODE_BUDGETS.attempts.max)
  if (!code?.codeHash) return null
  const candidate = { ...code, codeHash: code.codeHash }
  if (digits !== SIGN_IN_CODE.digits) return { candidate, isAllowed: true, spending: null }
  if (code.isKnownBrowser) {
    // This attempt is counted already.
    const wrongBefore = (await wrongInKnownBrowsers(tx, code.email, now)) - 1
    return { candidate, isAllowed: !isSpent(CODE_BUDGETS.known_wrong_codes, wrongBefore), spending: null }
  }
  const spending = await spendBudget(tx, 'wrong_codes', 1, now)
  return { candidate, isAllowed: spending.granted > 0, spending }
}

/** Number of wrong codes that known browsers entered for this email within the window. */
function wrongInKnownBrowsers(tx: CodeTx, email: string, now: number): Promise<number> {
  return tx.signIn.wrongInKnownBrowsers(email, now - CODE_BUDGETS.known_wrong_codes.windowSecs)
}

/** Takes up to `count` from a budget, which stays locked until the transaction ends. */
export async function spendBudget(tx: CodeTx, budget: SharedBudget, count: number, now: number): Promise<Spending> {
  const { startsAt, endsAt } = windowOf(CODE_BUDGETS[budget], now)
  const used = await tx.signIn.lockBudget(budget, startsAt, endsAt)
  const { granted, isLast } = grant(CODE_BUDGETS[budget], used, count)
  if (granted > 0) await tx.signIn.setBudgetUsed(budget, used + granted)
  return { budget, granted, isLast, endsAt }
}

/** Returns what was taken from a budget that is still locked. */
export async function refundBudget(tx: CodeTx, { budget, granted }: Spending, now: number): Promise<void> {
  const { startsAt, endsAt } = windowOf(CODE_BUDGETS[budget], now)
  const used = await tx.signIn.lockBudget(budget, startsAt, endsAt)
  await tx.signIn.setBudgetUsed(budget, used - granted)
}

/** Reports a budget whose last was taken. Call after the commit. */
export function reportSpent(
  { log, metrics }: { readonly log: Log; readonly metrics: Pick<Metrics, 'signInBudgetSpent'> },
  { budget, isLast, endsAt }: Spending,
): void {
  if (!isLast) return
  metrics.signInBudgetSpent(budget)
  log.warn(
    { budget, max: CODE_BUDGETS[budget].max, until: endsAt },
    'a limit of sign-in codes for all clients is reached',
  )
}
