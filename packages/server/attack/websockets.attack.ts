import { randomUUID } from 'node:crypto'
import { once } from 'node:events'
import { connect, type Socket } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { fromClient, printFigure, printReads, type Target, withTarget } from './target.ts'

const SOCKETS = 6_000
const AT_ONCE = 100
const HOLD_MS = 2_000
const OPENED = 'HTTP/1.1 101'

/** The start of the first data of each socket. */
const answers = new WeakMap<Socket, string>()

/** Opens WebSockets from one address, on an invoice and on unknown ids, and never answers a frame. */
await withTarget(async target => {
  for (const [what, id] of [
    ['an invoice', () => target.invoiceId],
    ['unknown ids', randomUUID],
  ] as const) {
    let held = 0
    let honest = ''
    const harm = await target.harmOf(async () => {
      const sockets: Socket[] = []
      for (let from = 0; from < SOCKETS; from += AT_ONCE)
        sockets.push(...(await Promise.all(Array.from({ length: AT_ONCE }, () => open(target, id(), '192.0.2.1')))))
      await sleep(HOLD_MS)
      held = sockets.filter(isOpen).length
      const socket = await open(target, target.invoiceId, '192.0.2.2')
      honest = isOpen(socket) ? 'opens' : 'is REFUSED'
      for (const open of [...sockets, socket]) open.destroy()
      await sleep(HOLD_MS)
    })
    const attack = `${SOCKETS} WebSockets of one address on ${what}`
    printFigure(`${attack}, another client's ${honest}: still open after 2 s`, held, { below: 1_000 })
    printReads(harm, 50)
  }
})

function isOpen(socket: Socket): boolean {
  return answers.get(socket) === OPENED && !socket.readableEnded && !socket.destroyed
}

async function open({ url }: Target, id: string, address: string): Promise<Socket> {
  const { hostname, port, host } = new URL(url)
  // Half-open: the service must not depend on the client to close a connection.
  const socket = connect({ host: hostname, port: Number(port), allowHalfOpen: true }).on('error', () => {})
  const headers = {
    host,
    upgrade: 'websocket',
    connection: 'Upgrade',
    'sec-websocket-version': '13',
    'sec-websocket-key': 'dGhlIHNhbXBsZSBub25jZQ==',
    ...fromClient(address),
  }
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`)
  socket.write(`GET /v1/invoices/${id}/ws HTTP/1.1\r\n${lines.join('')}\r\n`)
  const [data] = await Promise.race([once(socket, 'data'), once(socket, 'close')])
  answers.set(socket, String(data).slice(0, OPENED.length))
  return socket
}
