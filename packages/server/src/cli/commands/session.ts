import { OPERATOR } from '../../domain/account/audit.ts'
import { formatUtc } from '../../domain/time.ts'
import type { Context } from '../context.ts'
import { withServices } from '../services.ts'

interface OfAccount {
  readonly email: string
}

export async function endSessions({ email }: OfAccount, context: Context): Promise<void> {
  const ended = await withServices(context, async ({ accounts, sessions }) =>
    sessions.endAll(await accounts.findByEmail(email), OPERATOR),
  )
  context.out.result({ email, ended }, [`${ended} sessions of ${email} are ended`])
}

export async function createSession({ email }: OfAccount, context: Context): Promise<void> {
  const { session, token } = await withServices(context, async ({ accounts, sessions }) =>
    sessions.create(await accounts.findByEmail(email), 'command line', OPERATOR),
  )
  context.out.result({ session_token: token, id: session.publicId, expires_at: session.expiresAt }, [token])
  context.out.note(`valid until ${formatUtc(session.expiresAt)}`)
}
