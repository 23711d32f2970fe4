/** How long any check waits for an answer. */
export const PATIENCE_MS = 15_000

/** What one check found. */
export interface Finding {
  readonly check: string
  readonly state: 'ok' | 'skipped' | 'warning' | 'wrong'
  readonly says: string
  /** What to do about it. */
  readonly advice?: string
}

/** The finding of a check that says what is right, or throws what is wrong. */
export async function examined(check: string, advice: string, look: () => Promise<string>): Promise<Finding> {
  try {
    return { check, state: 'ok', says: await look() }
  } catch (error) {
    return wrong(check, reasonOf(error), advice)
  }
}

/** The innermost cause: what wraps it says only that something failed. */
function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error)
  return error.cause instanceof Error ? reasonOf(error.cause) : error.message || error.name
}

export function wrong(check: string, says: string, advice: string): Finding {
  return { check, state: 'wrong', says, advice }
}

export function skipped(check: string, says: string): Finding {
  return { check, state: 'skipped', says }
}
