import { setTimeout as delay } from 'node:timers/promises'

/**
 * Polls a condition in real time until its value is not false, null or undefined. @returns that value
 *
 * @throws after `limitMs`
 */
export async function until<T>(
  description: string,
  poll: () => T | Promise<T>,
  limitMs = 30_000,
): Promise<Exclude<T, false | null | undefined>> {
  const deadline = performance.now() + limitMs
  for (;;) {
    const value = await poll()
    if (value !== false && value !== null && value !== undefined) return value as Exclude<T, false | null | undefined>
    if (performance.now() > deadline) throw new Error(`timed out after ${limitMs} ms waiting for ${description}`)
    await delay(5)
  }
}
