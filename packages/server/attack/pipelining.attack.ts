import { once } from 'node:events'
import { connect, type Socket } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { requestText } from '../bench/load.ts'
import { fromClient, printFigure, printReads, withTarget } from './target.ts'

const CONNECTIONS = 20
const REQUESTS = 600
const HOLD_MS = 8_000

/** Sends requests for a large document without waiting for responses, and never reads one. */
await withTarget(async target => {
  const { hostname, port } = new URL(target.url)
  const request = requestText(target.url, 'GET', '/openapi.json', fromClient('192.0.2.1'))
  const harm = await target.harmOf(async () => {
    const sockets: Socket[] = []
    for (let i = 0; i < CONNECTIONS; i++) {
      const socket = connect({ host: hostname, port: Number(port) }).on('error', () => {})
      await once(socket, 'connect')
      socket.pause()
      socket.write(request.repeat(REQUESTS))
      sockets.push(socket)
    }
    await sleep(HOLD_MS)
    for (const socket of sockets) socket.destroy()
  })
  const what = `${CONNECTIONS} connections with ${REQUESTS} requests each, no response read`
  printFigure(`${what}: memory growth`, harm.memoryMb, { below: 100 }, 'MB')
  printReads(harm, 100)
})
