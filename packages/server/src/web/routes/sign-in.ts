import { Fault } from '../../domain/error.ts'
import { mailboxOf, type Site } from '../context.ts'
import { sentence } from '../error-text.ts'
import { formOf } from '../forms.ts'
import { browserOf, forgetBrowser, forgetSession, keepBrowser, keepSession, signedIn } from '../guard.ts'
import { codePage, signInPage } from '../pages/sign-in.ts'
import { browserName } from '../user-agent.ts'

export function signInPages(site: Site): void {
  const { deps } = site
  const { credentials, signIn } = deps
  const sandbox = deps.playground !== null

  site.open('GET', '/', async (request, reply) => {
    const known = await signedIn(request, credentials).catch(nullIfUnauthenticated)
    return reply.redirect(known ? '/overview' : '/sign-in', 303)
  })

  site.open('GET', '/sign-in', async () => signInPage({ sandbox }))

  // The response is the same for every email address and is sent before any email.
  site.open('POST', '/sign-in', async (request, reply) => {
    const { email = '' } = formOf(request)
    try {
      keepBrowser(reply, await signIn.ask(email, request.ip))
      return reply.redirect('/sign-in/code', 303)
    } catch (error) {
      if (!(error instanceof Fault) || error.kind !== 'invalid') throw error
      reply.code(400)
      return signInPage({ sandbox, email, error: sentence(error) })
    }
  })

  site.open('GET', '/sign-in/code', async () => codePage({ mailboxUrl: mailboxOf(deps) }))

  site.open('POST', '/sign-in/code', async (request, reply) => {
    const { code = '' } = formOf(request)
    try {
      const label = browserName(request.headers['user-agent'])
      const { token } = await signIn.enter(browserOf(request) ?? '', code, label)
      forgetBrowser(reply)
      keepSession(reply, token)
      return reply.redirect('/overview', 303)
    } catch (error) {
      if (!(error instanceof Fault) || error.code !== 'bad_code') throw error
      reply.code(400)
      return codePage({
        mailboxUrl: mailboxOf(deps),
        error: 'The code is incorrect or has expired. Try again, or request another code.',
      })
    }
  })

  site.open('POST', '/sign-out', async (request, reply) => {
    const { account, session } = await signedIn(request, credentials)
    await credentials.endSession(account, session.publicId)
    forgetSession(reply)
    return reply.redirect('/sign-in', 303)
  })
}

function nullIfUnauthenticated(error: unknown): null {
  if (error instanceof Fault && error.kind === 'unauthenticated') return null
  throw error
}
