/** A check of the health port, as StartOS shows it. This file imports nothing, so that tests run it. */

const TIMEOUT_MS = 5_000

export interface Health {
  readonly result: 'success' | 'failure'
  readonly message: string
}

/** Reads `/readyz`, which names each failed check. @param url of it */
export async function checkReady(url: string): Promise<Health> {
  try {
    const response = await fetch(url, { signal: AbortSignal.timeout(TIMEOUT_MS) })
    const { checks } = (await response.json()) as { checks: readonly { name: string; ok: boolean; reason?: string }[] }
    const failed = checks.filter(({ ok }) => !ok)
    if (failed.length === 0) return { result: 'success', message: 'zatgate serves and sees the chain' }
    return { result: 'failure', message: failed.map(({ name, reason }) => `${name}: ${reason}`).join('; ') }
  } catch {
    return { result: 'failure', message: 'zatgate does not respond yet' }
  }
}
