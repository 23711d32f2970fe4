/** Starts measuring. @returns a function that gives the seconds since then */
export function startStopwatch(): () => number {
  const startedMs = performance.now()
  return () => (performance.now() - startedMs) / 1000
}

/** A base for the seeds that no earlier run has used: the time in seconds, times 1000. */
export function newBase(): number {
  return Math.floor(Date.now() / 1000) * 1000
}

/** The current day in UTC: YYYY-MM-DD. */
export function today(): string {
  return new Date().toISOString().slice(0, 10)
}
