export interface BatchLimits<T> {
  readonly maxItems: number
  /** Exceeded by at most one item. */
  readonly maxBytes: number
  bytesOf(item: T): number
}

/**
 * Collects items in batches. Each batch holds what has arrived since the previous one, without waiting for more. The source
 * is paused while a batch is full.
 */
export async function* coalesce<T>(
  source: AsyncIterable<T>,
  { maxItems, maxBytes, bytesOf }: BatchLimits<T>,
): AsyncGenerator<T[], void, undefined> {
  const buffer: T[] = []
  let bytes = 0
  let sourceEnded = false
  let consumerDone = false
  let failure: { readonly error: unknown } | null = null
  let change = Promise.withResolvers<void>()

  /** Wakes the other side, producer or consumer. */
  const signalChange = () => {
    change.resolve()
    change = Promise.withResolvers<void>()
  }

  async function readSource(): Promise<void> {
    try {
      for await (const item of source) {
        buffer.push(item)
        bytes += bytesOf(item)
        signalChange()
        while ((buffer.length >= maxItems || bytes >= maxBytes) && !consumerDone) await change.promise
        if (consumerDone) return
      }
    } catch (error) {
      failure = { error }
    } finally {
      sourceEnded = true
      signalChange()
    }
  }

  void readSource()
  try {
    for (;;) {
      if (buffer.length > 0) {
        const batch = buffer.splice(0)
        bytes = 0
        signalChange()
        yield batch
      } else if (failure) throw (failure as { readonly error: unknown }).error
      else if (sourceEnded) return
      else await change.promise
    }
  } finally {
    consumerDone = true
    signalChange()
  }
}
