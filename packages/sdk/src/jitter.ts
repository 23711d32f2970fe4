/** A random part of a delay, from half of it to all of it, so that clients do not return at the same time. */
export function jittered(delayMs: number): number {
  return delayMs * (0.5 + Math.random() / 2)
}
