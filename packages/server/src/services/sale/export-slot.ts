import { AppError } from '../../domain/error.ts'
import { givesWay } from '../../domain/sale/export.ts'
import type { Clock } from '../../ports/clock.ts'

/** When to try again: about the time of a large export. */
const RETRY_SECS = 30

/** Lets one export of each account run in this process: it protects the process's thread, and others have their own. */
export function createExportSlots(clock: Clock) {
  /** By the account's public id. Each export that is read has one, so the connections bound their number. */
  const running = new Map<string, { session: number | null; startedAtMs: number; readAtMs: number; pages: number }>()

  return {
    /** @param session that begins the export @throws AppError `export_in_progress` */
    take(account: string, session: number | null, chunks: AsyncGenerator<string>): AsyncIterableIterator<string> {
      const other = running.get(account)
      const nowMs = clock.nowMs()
      if (other && !givesWay(other, session, nowMs))
        throw new AppError('export_in_progress', {
          retryAfterSecs: RETRY_SECS,
        })
      const own = { session, startedAtMs: nowMs, readAtMs: nowMs, pages: 0 }
      running.set(account, own)
      const isOwn = () => running.get(account) === own
      const end = () => isOwn() && running.delete(account)
      // Not a generator: one that was never read does not run its `finally`.
      return {
        async next() {
          try {
            if (!isOwn()) throw new Error('the export was read too slowly, and another one has taken its place')
            own.readAtMs = clock.nowMs()
            own.pages += 1
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
