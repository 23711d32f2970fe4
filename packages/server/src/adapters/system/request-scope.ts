import { AsyncLocalStorage } from 'node:async_hooks'
import type { RequestScope } from '../../ports/log.ts'

const requests = new AsyncLocalStorage<string>()

/** Carries the id of the current request to the log lines that its work writes. */
export const requestScope: RequestScope = { run: (requestId, work) => requests.run(requestId, work) }

/** The id of the request that the running code serves; undefined outside of requests. */
export function currentRequestId(): string | undefined {
  return requests.getStore()
}
