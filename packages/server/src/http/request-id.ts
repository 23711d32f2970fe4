import type { IncomingMessage } from 'node:http'
import type { RequestScope } from '../ports/log.ts'
import type { Random } from '../ports/random.ts'
import type { App } from './app.ts'

/** Whether the peer at an address is a trusted proxy. */
export type TrustsPeer = (address: string, hop: number) => boolean

const HEADER = 'x-request-id'
/** Printable, without characters that have a meaning in logs, URLs or shells. */
const ACCEPTED = /^[\w.:+/=-]{1,64}$/
const PREFIX_BYTES = 8
const COUNTER_DIGITS = 5

/**
 * Chooses the id of a request: that of a trusted proxy if it is short and printable, otherwise the process's own random
 * prefix and a counter. An id is no secret, and drawing random bytes for each would cost creates some percent.
 */
export function requestIdFrom(trusts: TrustsPeer, random: Random): (request: IncomingMessage) => string {
  const prefix = Buffer.from(random.bytes(PREFIX_BYTES)).toString('base64url')
  let requests = 0
  return ({ headers, socket }) => {
    const given = headers[HEADER]
    if (typeof given === 'string' && ACCEPTED.test(given) && trusts(socket.remoteAddress ?? '', 0)) return given
    return prefix + (requests++).toString(36).padStart(COUNTER_DIGITS, '0')
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
