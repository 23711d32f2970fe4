import type { IncomingMessage } from 'node:http'
import type { RequestScope } from '../ports/log.ts'
import type { Random } from '../ports/random.ts'
import type { App } from './app.ts'

/** Whether the peer at an address is a trusted proxy. */
export type TrustsPeer = (address: string, hop: number) => boolean

const HEADER = 'x-request-id'
/** Printable, without characters that have a meaning in logs, URLs or shells. */
const ACCEPTED = /^[\w.:+/=-]{1,64}$/
const ID_BYTES = 12

/** Chooses the id of a request: that of a trusted proxy if it is short and printable, otherwise a random one. */
export function requestIdFrom(trusts: TrustsPeer, random: Random): (request: IncomingMessage) => string {
  return ({ headers, socket }) => {
    const given = headers[HEADER]
    if (typeof given === 'string' && ACCEPTED.test(given) && trusts(socket.remoteAddress ?? '', 0)) return given
    return Buffer.from(random.bytes(ID_BYTES)).toString('base64url')
  }
}

/** Sends the id of a request back, and adds it to the log lines of its work. */
export function addRequestIds(app: App, scope: RequestScope): void {
  app.addHook('onRequest', (request, reply, done) => {
    reply.header(HEADER, request.id)
    scope.run(request.id, done)
  })
  // The body is read in the events of the connection, which are outside of the scope.
  app.addHook('preValidation', (request, _reply, done) => scope.run(request.id, done))
}
