import type { Events } from '@zatgate/sdk'

const PAGE = 200

/** The number of the newest event of the account. It reads the rarest type alone, since a page passes all others. */
export async function newestSeq(events: Pick<Events, 'list'>, signal?: AbortSignal): Promise<number> {
  let after: number | undefined
  for (;;) {
    const query = { types: 'plan.updated', limit: PAGE, ...(after !== undefined && { after }) }
    const page = await events.list(query, signal && { signal })
    const isLast = page.events.length < PAGE || page.nextAfter <= (after ?? -1)
    after = page.nextAfter
    if (isLast) return after
  }
}
