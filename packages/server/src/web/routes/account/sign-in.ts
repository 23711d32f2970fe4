import { AppError } from '../../../domain/error.ts'
import { visitor } from '../../../http/actor.ts'
import { clientPrefix } from '../../../http/client-prefix.ts'
import { httpStatusOf } from '../../../http/error.ts'
import { browserName } from '../../../http/user-agent.ts'
import { pageAfterSignIn } from '../../after-sign-in.ts'
import { authenticate } from '../../auth.ts'
import { type Site, sandboxMailboxUrl } from '../../context.ts'
import {
  clearCodeCookie,
  clearSessionCookie,
  readBrowserCookie,
  readCodeCookie,
  setBrowserCookie,
  setCodeCookie,
  setSessionCookie,
} from '../../cookies.ts'
import { errorSentence } from '../../error-text.ts'
import { formFields, queryFields } from '../../forms.ts'
import { codePage, signInPage, withNext } from '../../pages/account/sign-in.ts'
import { isPlainHttp, requireCookieOrigin } from '../../plain-http.ts'
import { plain } from '../../text/dashboard.ts'

export function signInPages(site: Site): void {
  const { deps } = site
  const { sessions, signIn } = deps
  const sandbox = deps.sandboxTools !== null

  site.publicPage('GET', '/', async (request, reply) => {
    const known = await authenticate(request, sessions).catch(nullIfUnauthenticated)
    return reply.redirect(known ? '/overview' : '/sign-in', 303)
  })

  site.publicPage('GET', '/sign-in', async request =>
    signInPage({ sandbox, next: pageAfterSignIn(queryFields(request).next) }),
  )

  // The response is the same for every email address and is sent before any email.
  site.publicPage('POST', { path: '/sign-in', rate: 'sign-in' }, async (request, reply) => {
    const { email = '', next: nextField } = formFields(request)
    const next = pageAfterSignIn(nextField)
    try {
      requireCookieOrigin(request, deps.publicUrl())
      const known = readBrowserCookie(request)
      setCodeCookie(reply, await signIn.requestCode(email, clientPrefix(request.ip), known, visitor(request)))
      return reply.redirect(withNext('/sign-in/code', next), 303)
    } catch (error) {
      if (!(error instanceof AppError) || !['invalid', 'forbidden'].includes(error.kind)) throw error
      reply.code(httpStatusOf(error))
      return signInPage({ sandbox, email, next, error: errorSentence(error) })
    }
  })

  site.publicPage('GET', '/sign-in/code', async request =>
    codePage({ mailboxUrl: sandboxMailboxUrl(deps), next: pageAfterSignIn(queryFields(request).next) }),
  )

  site.publicPage('POST', { path: '/sign-in/code', rate: 'sign-in' }, async (request, reply) => {
    const { code = '', next: nextField } = formFields(request)
    const next = pageAfterSignIn(nextField)
    try {
      const label = browserName(request.headers['user-agent'])
      const browser = readCodeCookie(request)
      if (browser === undefined) {
        reply.code(400)
        // Some browsers keep the cookie of no http page, not even on the machine itself.
        const error = isPlainHttp(request) ? plain('https_needed') : plain('no_code_requested')
        return codePage({ mailboxUrl: sandboxMailboxUrl(deps), next, error })
      }
      const known = readBrowserCookie(request)
      const { token, knownBrowser } = await signIn.signIn(browser, code, label, known, visitor(request))
      clearCodeCookie(reply)
      setBrowserCookie(reply, knownBrowser)
      setSessionCookie(reply, token)
      return reply.redirect(next ?? '/overview', 303)
    } catch (error) {
      if (!(error instanceof AppError) || (error.code !== 'bad_code' && error.code !== 'email_taken')) throw error
      const mailboxUrl = sandboxMailboxUrl(deps)
      if (error.code === 'email_taken') {
        reply.code(409)
        return codePage({ mailboxUrl, next, error: plain('email_reserved') })
      }
      reply.code(400)
      return codePage({ mailboxUrl, next, error: plain('wrong_code') })
    }
  })

  site.page('POST', '/sign-out', async (_request, reply, { account, session, actor }) => {
    await sessions.end(account, session.publicId, actor)
    clearSessionCookie(reply)
    return reply.redirect('/sign-in', 303)
  })
}

function nullIfUnauthenticated(error: unknown): null {
  if (error instanceof AppError && error.kind === 'unauthenticated') return null
  throw error
}
