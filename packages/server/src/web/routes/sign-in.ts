import { Fault } from '../../domain/error.ts'
import { formOf } from '../forms.ts'
import { browserOf, forgetBrowser, forgetSession, keepBrowser, keepSession, signedIn } from '../guard.ts'
import { codePage, signInPage } from '../pages/sign-in.ts'
import { mailboxOf, type Site, sentence } from '../site.ts'
import { browserName } from '../user-agent.ts'

export function signInPages(site: Site): void {
  const { deps } = site
  const { credentials, signIn } = deps
  const sandbox = deps.playground !== null

  site.open('GET', '/', async (request, reply) => {
    const known = await signedIn(request, credentials).catch(nobody)
    return reply.redirect(known ? '/overview' : '/sign-in', 303)
  })

  site.open('GET', '/sign-in', async () => signInPage({ sandbox }))

  // The same answer for every email, and made before anything is mailed.
  site.open('POST', '/sign-in', async (request, reply) => {
    const { email = '' } = formOf(request)
    try {
      keepBrowser(reply, await signIn.ask(email, request.ip))
      return reply.redirect('/sign-in/code', 303)
    } catch (fault) {
      if (!(fault instanceof Fault) || fault.kind !== 'invalid') throw fault
      reply.code(400)
      return signInPage({ sandbox, email, error: sentence(fault) })
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
    } catch (fault) {
      if (!(fault instanceof Fault) || fault.code !== 'bad_code') throw fault
      reply.code(400)
      return codePage({
        mailboxUrl: mailboxOf(deps),
        error: 'That code is not right, or no longer valid. Try once more, or ask for another.',
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

function nobody(fault: unknown): null {
  if (fault instanceof Fault && fault.kind === 'unauthenticated') return null
  throw fault
}
