import { setImmediate as nextTurn } from 'node:timers/promises'

/** Turns of the event loop between two pieces. A request of another client needs about as many. */
const TURNS_BETWEEN = 4

/**
 * Divides long work: pieces of a few milliseconds follow each other, whatever the number of those who wait, and other
 * requests run in between. @returns a function that resolves when the caller may do one piece
 */
export function createTurns(): () => Promise<void> {
  let last = Promise.resolve()
  return () => (last = last.then(waitTurns))
}

async function waitTurns(): Promise<void> {
  for (let i = 0; i < TURNS_BETWEEN; i++) await nextTurn()
}
