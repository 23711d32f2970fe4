import type { FastifyRequest } from 'fastify'
import { SIGN_IN_LINK } from '../../../domain/account/sign-in.ts'
import { AppError } from '../../../domain/error.ts'
import { visitor } from '../../../http/actor.ts'
import { httpStatusOf } from '../../../http/error.ts'
import { browserName } from '../../../http/user-agent.ts'
import type { Site } from '../../context.ts'
import { readBrowserCookie, setBrowserCookie, setSessionCookie } from '../../cookies.ts'
import { errorSentence } from '../../error-text.ts'
import { signInLinkPage } from '../../pages/account/sign-in-link.ts'
import { requireCookieOrigin } from '../../plain-http.ts'

export function signInLinkPages(site: Site): void {
  const { signInLinks, publicUrl } = site.deps
  const route = { path: `${SIGN_IN_LINK.path}/:secret`, rate: 'sign-in' } as const

  async function linkPage(secret: string, error?: string) {
    const email = await signInLinks.emailOf(secret)
    if (email === null) return null
    return { email, action: `${SIGN_IN_LINK.path}/${secret}`, ...(error !== undefined && { error }) }
  }

  // A GET changes nothing: programs that check and preview links open them.
  site.publicPage('GET', route, async (request, reply) => {
    const page = await linkPage(secretParam(request))
    if (page === null) reply.code(404)
    return signInLinkPage(page)
  })

  site.publicPage('POST', route, async (request, reply) => {
    const secret = secretParam(request)
    try {
      // Before the link is used: over plain http the browser would keep no session.
      requireCookieOrigin(request, publicUrl())
      const label = browserName(request.headers['user-agent'])
      const known = readBrowserCookie(request)
      const { token, knownBrowser } = await signInLinks.signIn(secret, label, known, visitor(request))
      setBrowserCookie(reply, knownBrowser)
      setSessionCookie(reply, token)
      return reply.redirect('/overview', 303)
    } catch (error) {
      if (!(error instanceof AppError) || (error.code !== 'no_such_link' && error.code !== 'https_required'))
        throw error
      reply.code(httpStatusOf(error))
      return signInLinkPage(error.code === 'no_such_link' ? null : await linkPage(secret, errorSentence(error)))
    }
  })
}

function secretParam(request: FastifyRequest): string {
  return (request.params as { secret: string }).secret
}
