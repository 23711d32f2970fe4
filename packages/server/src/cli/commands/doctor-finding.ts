import { certificateProblem } from '../../domain/certificate.ts'

/** Timeout of each check that waits for a response. */
export const CHECK_TIMEOUT_MS = 15_000

/** The result of one check. Its members are the keys of `doctor --json`. */
export interface Finding {
  readonly check: string
  readonly state: 'ok' | 'skipped' | 'warning' | 'wrong'
  readonly says: string
  /** How to fix it. */
  readonly advice?: string
}

/** Runs a check: its return value describes the healthy state, its error describes the problem. */
export async function runCheck(check: string, advice: string, run: () => Promise<string>): Promise<Finding> {
  try {
    return { check, state: 'ok', says: await run() }
  } catch (error) {
    const problem = certificateProblem(error)
    return problem ? wrong(check, problem.says, problem.advice) : wrong(check, rootCauseMessage(error), advice)
  }
}

/** The message of the innermost cause. Wrapping errors only report that something failed. */
export function rootCauseMessage(error: unknown): string {
  if (!(error instanceof Error)) return String(error)
  return error.cause instanceof Error ? rootCauseMessage(error.cause) : error.message || error.name
}

export function wrong(check: string, says: string, advice: string): Finding {
  return { check, state: 'wrong', says, advice }
}

export function skipped(check: string, says: string): Finding {
  return { check, state: 'skipped', says }
}
