/** `[::1]` → `::1`: URLs put IPv6 addresses in brackets, sockets do not. Names and IPv4 addresses stay as they are. */
export function unbracketed(host: string): string {
  return host.replace(/^\[(.*)\]$/, '$1')
}
