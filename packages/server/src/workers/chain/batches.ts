/** Everything that has arrived since the last time, as one batch of at most `most`: whatever comes, nothing waits. */
export async function* gather<T>(source: AsyncIterable<T>, most: number): AsyncGenerator<T[], void, undefined> {
  const waiting: T[] = []
  let ended = false
  let left = false
  let failure: { readonly error: unknown } | null = null
  let turn = Promise.withResolvers<void>()

  /** Both sides wait for the other's next step. */
  const step = () => {
    turn.resolve()
    turn = Promise.withResolvers<void>()
  }

  async function fill(): Promise<void> {
    try {
      for await (const item of source) {
        waiting.push(item)
        step()
        while (waiting.length >= most && !left) await turn.promise
        if (left) return
      }
    } catch (error) {
      failure = { error }
    } finally {
      ended = true
      step()
    }
  }

  void fill()
  try {
    for (;;) {
      if (waiting.length > 0) {
        const batch = waiting.splice(0)
        step()
        yield batch
      } else if (failure) throw (failure as { readonly error: unknown }).error
      else if (ended) return
      else await turn.promise
    }
  } finally {
    left = true
    step()
  }
}
