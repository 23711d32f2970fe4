import type { IncomingMessage } from 'node:http'

const HEADER = 'x-forwarded-for'

/** Removes the port from an address: `192.0.2.1:80` or `[2001:db8::1]:80`. Also removes the brackets. */
export function withoutPort(address: string): string {
  const [, v6, v4] = /^(?:\[([0-9a-fA-F:.]+)\](?::\d+)?|([0-9.]+):\d+)$/.exec(address) ?? []
  return v6 ?? v4 ?? address
}

/**
 * Removes the ports that some proxies add to the addresses in `X-Forwarded-For`. With them, each connection of a client
 * would count as a client, and the address of a trusted proxy would not be recognised.
 */
export function removeForwardedPorts({ headers }: IncomingMessage): void {
  const forwarded = headers[HEADER]
  if (typeof forwarded !== 'string') return
  headers[HEADER] = forwarded
    .split(',')
    .map(address => withoutPort(address.trim()))
    .join(', ')
}
