/**
 * The error of a server that cannot listen, which names the setting to change.
 * @param at `name` is the setting of the port
 */
export function listenError(
  error: unknown,
  { name, port, host }: { readonly name: string; readonly port: number; readonly host: string },
): unknown {
  const message = reason((error as NodeJS.ErrnoException).code, name, port, host)
  return message === null ? error : new Error(message, { cause: error })
}

function reason(code: string | undefined, name: string, port: number, host: string): string | null {
  switch (code) {
    case 'EADDRINUSE':
      return `${name} is ${port}, which another program uses on ${host}`
    case 'EACCES':
      return `${name} is ${port}, on which this user may not listen: use a port from 1024 on`
    case 'EADDRNOTAVAIL':
    case 'ENOTFOUND':
    case 'EAI_AGAIN':
    case 'EINVAL':
      return `HOST is ${host}, which is not an address of this machine`
    default:
      return null
  }
}
