import { setTimeout as after } from 'node:timers/promises'

/** Waits for a condition of the real world, looking often, and gives up loudly. */
export async function until<T>(
  what: string,
  look: () => T | Promise<T>,
  limitMs = 10_000,
): Promise<Exclude<T, false | null | undefined>> {
  const deadline = performance.now() + limitMs
  for (;;) {
    const seen = await look()
    if (seen !== false && seen !== null && seen !== undefined) return seen as Exclude<T, false | null | undefined>
    if (performance.now() > deadline) throw new Error(`waited ${limitMs} ms in vain for ${what}`)
    await after(5)
  }
}
