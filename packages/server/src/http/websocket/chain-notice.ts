import type { Readiness } from '../../services/readiness.ts'
import { type Connection, PAGE_HINT } from './connection.ts'

/** Pages that get a hint in one poll: each asks for its content at once, and all of them together would delay other requests. */
const PAGES_PER_POLL = 100
/** The chain is unseen after minutes, so it is not checked in every poll. */
const POLLS_PER_CHECK = 5

/** Sends a hint to open pages when the chain is no longer seen, and when it is again. */
interface ChainNotice {
  /** Adds a page, which has shown the present state when it opened. */
  add(page: Connection): void
  /** Checks the chain now and then, and sends the hint to the next pages. */
  poll(): void
}

export function createChainNotice(readiness: Pick<Readiness, 'isChainSeen'>): ChainNotice {
  const pages = new Set<Connection>()
  /** Those that have not had the hint yet. */
  let waiting: Connection[] = []
  let wasSeen: boolean | null = null
  let polls = 0

  async function check(): Promise<void> {
    const isSeen = await readiness.isChainSeen()
    if (wasSeen !== null && isSeen !== wasSeen) waiting = [...pages]
    wasSeen = isSeen
  }

  return {
    add(page) {
      pages.add(page)
      page.socket.on('close', () => pages.delete(page))
    },

    poll() {
      for (const page of waiting.splice(0, PAGES_PER_POLL)) if (pages.has(page)) page.send(PAGE_HINT)
      if (pages.size > 0 && polls++ % POLLS_PER_CHECK === 0) void check()
    },
  }
}
