/**
 * Waits until all have ended, also when one of them fails: with `Promise.all`, a failure would let the caller go on, and
 * claim again what is still being done.
 *
 * @throws the first failure, in the order given
 */
export async function allEnded(work: readonly Promise<unknown>[]): Promise<void> {
  const outcomes = await Promise.allSettled(work)
  const failure = outcomes.find(outcome => outcome.status === 'rejected')
  if (failure) throw failure.reason
}
