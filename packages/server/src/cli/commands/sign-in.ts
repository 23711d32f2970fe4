import type { Config } from '../../config/settings.ts'
import type { Account } from '../../domain/account/account.ts'
import { SIGN_IN_LINK } from '../../domain/account/sign-in.ts'
import { AppError } from '../../domain/error.ts'
import { isLoopback } from '../../domain/host.ts'
import { formatUtc } from '../../domain/time.ts'
import { type Accounts, requireEmail } from '../../services/account/account.ts'
import { createSignInLink } from '../../services/account/sign-in-link.ts'
import type { Context } from '../context.ts'
import { withServices } from '../services.ts'

export async function signIn(values: { readonly email: string }, context: Context): Promise<void> {
  const email = requireEmail(values.email)
  const { config, out } = context
  const settings = config()
  const baseUrl = settings.publicUrl ?? localUrl(settings)
  const { secret, expiresAt } = await withServices(context, async ({ accounts }, infrastructure) =>
    createSignInLink(infrastructure, await existingAccount(accounts, email)),
  )
  const url = `${baseUrl}${SIGN_IN_LINK.path}/${secret}`
  out.result({ email, url, expires_at: expiresAt }, [url])
  out.note(`valid once, until ${formatUtc(expiresAt)}; do not pass it on: it signs in to the account`)
  if (settings.publicUrl === null)
    out.note('PUBLIC_URL is not set: open the link on the machine where the service runs')
}

async function existingAccount(accounts: Accounts, email: string): Promise<Account> {
  try {
    return await accounts.findByEmail(email)
  } catch (error) {
    if (!(error instanceof AppError) || error.code !== 'no_such_account') throw error
    throw new Error(`no account has the email ${email}: open it first, with zatgate account create ${email}`)
  }
}

/** The address of the service on its own machine. Browsers keep a sign-in over plain http at `localhost` alone. */
function localUrl({ host, port }: Config): string {
  if (port === 0) throw new Error('PORT is 0, so the port of the service is not known: set PUBLIC_URL to its address')
  if (isLoopback(host) || host === '::' || host === '0.0.0.0') return `http://localhost:${port}`
  return `http://${host.includes(':') ? `[${host}]` : host}:${port}`
}
