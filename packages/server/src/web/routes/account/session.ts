import type { AuthenticatedUser } from '../../auth.ts'
import type { Site } from '../../context.ts'
import { clearSessionCookie, readBrowserCookie, setBrowserCookie } from '../../cookies.ts'
import { errorSentence } from '../../error-text.ts'
import { formFields, idParam, queryFields } from '../../forms.ts'
import { type SessionsView, sessionsPage } from '../../pages/account/session.ts'
import { type Place, pagerLinks, paginate } from '../../paginate.ts'
import { plain } from '../../text/dashboard.ts'

const PAGE_SIZE = 50
const PATH = '/sessions'

export function sessionPages(site: Site): void {
  const { sessions, signIn } = site.deps

  async function view(user: AuthenticatedUser, place: Place = {}): Promise<SessionsView> {
    const page = await paginate({
      size: PAGE_SIZE,
      place,
      read: page => sessions.list(user.account, page),
      idOf: session => session.publicId,
    })
    return { sessions: page.items, current: user.session.publicId, ...pagerLinks(PATH, page) }
  }

  site.page('GET', PATH, async (request, _reply, user) => {
    const query = queryFields(request)
    const { done } = query
    const flash = done === 'ended' ? { flash: plain('session_ended') } : {}
    return sessionsPage(site.pageUser(user), { ...(await view(user, query)), ...flash })
  })

  site.page('POST', PATH, async (request, reply, user) => {
    const form = formFields(request)
    const { label = '' } = form
    return site.requireRecentAuth({ request, reply, user, form, menuPath: PATH }, async () => {
      try {
        const { token } = await sessions.create(user.account, label, user.actor)
        return sessionsPage(site.pageUser(user), { ...(await view(user)), issued: { label, token } })
      } catch (error) {
        reply.code(400)
        return sessionsPage(site.pageUser(user), { ...(await view(user)), label, error: errorSentence(error) })
      }
    })
  })

  site.page('POST', `${PATH}/end-all`, async (_request, reply, user) => {
    await sessions.endAll(user.account, user.actor)
    clearSessionCookie(reply)
    return reply.redirect('/sign-in', 303)
  })

  site.page('POST', `${PATH}/forget-browsers`, async (request, reply, user) => {
    const { account, session, actor } = user
    const form = formFields(request)
    return site.requireRecentAuth({ request, reply, user, form, menuPath: PATH }, async () => {
      setBrowserCookie(reply, await signIn.forgetBrowsers(account, session, readBrowserCookie(request), actor))
      clearSessionCookie(reply)
      return reply.redirect('/sign-in', 303)
    })
  })

  site.page('POST', `${PATH}/:id/end`, async (request, reply, user) => {
    const id = idParam(request)
    await sessions.end(user.account, id, user.actor)
    if (id.toLowerCase() !== user.session.publicId) return reply.redirect(`${PATH}?done=ended`, 303)
    clearSessionCookie(reply)
    return reply.redirect('/sign-in', 303)
  })
}
