import type { FastifyRequest } from 'fastify'
import type { ApiKey } from '../domain/account/api-key.ts'
import type { Actor } from '../domain/account/audit.ts'
import type { Session } from '../domain/account/session.ts'
import { clientNetwork } from './client-prefix.ts'
import { programName } from './user-agent.ts'

/** Someone who has not signed in. */
export function visitor(request: FastifyRequest): Actor {
  return {
    by: 'visitor',
    session: null,
    network: clientNetwork(request.ip),
    client: programName(request.headers['user-agent']),
  }
}

/** The owner of an account, in one of its sessions. */
export function owner(request: FastifyRequest, session: Session): Actor {
  return { ...visitor(request), by: 'owner', session: session.publicId }
}

/** A program with a scoped API key. */
export function keyHolder(request: FastifyRequest, key: ApiKey): Actor {
  return { ...visitor(request), by: 'api_key', session: key.publicId }
}
