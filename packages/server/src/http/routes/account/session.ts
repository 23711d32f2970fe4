import type * as Wire from '@zatgate/sdk/wire'
import { Type } from 'typebox'
import type { Session } from '../../../domain/account/session.ts'
import { AppError } from '../../../domain/error.ts'
import type { Sessions } from '../../../services/account/session.ts'
import type { App } from '../../app.ts'
import { accountOf, actorOf, sessionOf } from '../../auth.ts'
import {
  Id,
  IdParam,
  NO_CONTENT_RESPONSES,
  nullable,
  PageQuery,
  parsePage,
  responses,
  UnixSecs,
  wireObject,
} from '../../schema.ts'

const SessionSchema = wireObject<Wire.Session>()('Session', {
  id: Id,
  label: Type.String(),
  created_at: UnixSecs('Start time.'),
  expires_at: UnixSecs('Expiry time.'),
  last_used_at: nullable(UnixSecs('Time of last use, to the minute; null if never used.')),
})

function presentSession(session: Session): Wire.Session {
  return {
    id: session.publicId,
    label: session.label,
    created_at: session.createdAt,
    expires_at: session.expiresAt,
    last_used_at: session.lastUsedAt,
  }
}

export function sessionRoutes(app: App, { sessions }: { sessions: Sessions }): void {
  const common = { tags: ['sessions'] }

  app.post(
    '/v1/auth/logout',
    {
      config: { rate: 'session', access: 'session' },
      schema: { ...common, operationId: 'logout', summary: 'End the current session', response: NO_CONTENT_RESPONSES },
    },
    async (request, reply) => {
      await sessions.end(accountOf(request), sessionOf(request).publicId, actorOf(request))
      return reply.code(204).send()
    },
  )

  app.get(
    '/v1/account/sessions',
    {
      config: { rate: 'list', access: 'session' },
      schema: {
        ...common,
        operationId: 'listSessions',
        summary: "List the account's sessions, newest first",
        querystring: PageQuery,
        response: responses(Type.Array(SessionSchema)),
      },
    },
    async request => (await sessions.list(accountOf(request), parsePage(request.query))).map(presentSession),
  )

  app.delete(
    '/v1/account/sessions/:id',
    {
      config: { rate: 'session', access: 'session', errors: ['no_such_session'] },
      schema: {
        ...common,
        operationId: 'endSession',
        summary: 'End a session',
        params: IdParam,
        response: NO_CONTENT_RESPONSES,
      },
    },
    async (request, reply) => {
      await sessions.end(accountOf(request), request.params.id, actorOf(request))
      return reply.code(204).send()
    },
  )

  for (const removed of ['/v1/auth/signup', '/v1/auth/login']) {
    app.all(removed, { config: { rate: 'read', access: 'public' }, onRequest: rejectRemoved }, rejectRemoved)
  }
}

/** Runs in `onRequest`, so any body gets the same 410. */
async function rejectRemoved(): Promise<never> {
  throw new AppError('gone')
}
