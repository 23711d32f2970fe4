import { AppError } from '../domain/error.ts'
import type { Clock } from '../ports/clock.ts'

/** After this long without a read, an export gives way to a new one of the account. */
const STALLED_MS = 60_000
/** When to try again: about the time of a large export. */
const RETRY_SECS = 30

/** Lets one export of each account run in this process. */
export function createExportSlots(clock: Clock) {
  /** By the account's public id. Each export that is read has one, so the connections bound their number. */
  const running = new Map<string, { readAtMs: number }>()

  return {
    /** @throws AppError `export_in_progress` */
    take(account: string, chunks: AsyncGenerator<string>): AsyncIterableIterator<string> {
      const other = running.get(account)
      if (other && clock.nowMs() - other.readAtMs < STALLED_MS)
        throw new AppError('too_many', 'export_in_progress', 'another export of this account is in progress', {
          retryAfterSecs: RETRY_SECS,
        })
      const own = { readAtMs: clock.nowMs() }
      running.set(account, own)
      const isOwn = () => running.get(account) === own
      const end = () => isOwn() && running.delete(account)
      // Not a generator: one that was never read does not run its `finally`.
      return {
        async next() {
          try {
            if (!isOwn()) throw new Error('the export was not read for a minute, and another one has taken its place')
            own.readAtMs = clock.nowMs()
            const result = await chunks.next()
            if (result.done) end()
            return result
          } catch (error) {
            end()
            throw error
          }
        },
        async return() {
          end()
          return chunks.return(undefined)
        },
        async throw(error) {
          end()
          return chunks.throw(error)
        },
        [Symbol.asyncIterator]() {
          return this
        },
      }
    },
  }
}
