/** File descriptors left after connections, and connections left after WebSockets: a quarter, but at most this number. */
const MAX_RESERVE = 1_000

export interface ConnectionLimits {
  /** Further connections are closed at once. */
  readonly connections: number
  readonly webSockets: number
}

/**
 * Fits the connections into the open files that a process may have. Enough files stay free for the database, the chain,
 * webhooks and mail, and enough connections for plain requests. @param maxOpenFiles null: unknown, so that only the
 * setting bounds the WebSockets
 */
export function connectionLimits(maxOpenFiles: number | null, maxWebSockets: number): ConnectionLimits {
  const connections = maxOpenFiles === null ? Number.POSITIVE_INFINITY : withReserve(maxOpenFiles)
  return { connections, webSockets: Math.min(maxWebSockets, withReserve(connections)) }
}

function withReserve(total: number): number {
  return total - Math.min(MAX_RESERVE, Math.ceil(total / 4))
}
