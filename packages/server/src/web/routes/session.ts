import type { Site } from '../context.ts'
import { errorSentence } from '../error-text.ts'
import { formFields, idParam, queryFields } from '../forms.ts'
import { type AuthenticatedUser, clearSessionCookie } from '../guard.ts'
import { type SessionsView, sessionsPage } from '../pages/session.ts'

const PAGE_SIZE = 50
const PATH = '/sessions'

export function sessionPages(site: Site): void {
  const { sessions } = site.deps

  async function view(user: AuthenticatedUser, before?: string): Promise<SessionsView> {
    const page = { limit: PAGE_SIZE + 1, ...(before === undefined ? {} : { before }) }
    const listed = await sessions.list(user.account, page)
    const last = listed.length > PAGE_SIZE ? listed[PAGE_SIZE - 1] : undefined
    return {
      sessions: listed.slice(0, PAGE_SIZE),
      current: user.session.publicId,
      older: last ? `${PATH}?before=${last.publicId}` : null,
    }
  }

  site.page('GET', PATH, async (request, _reply, user) => {
    const { before, done } = queryFields(request)
    const flash = done === 'ended' ? { flash: 'Session ended.' } : {}
    return sessionsPage(site.pageUser(user), { ...(await view(user, before)), ...flash })
  })

  site.page('POST', PATH, async (request, reply, user) => {
    const form = formFields(request)
    const { label = '' } = form
    return site.requireRecentAuth({ request, reply, user, form, menuPath: PATH }, async () => {
      try {
        const { token } = await sessions.create(user.account, label)
        return sessionsPage(site.pageUser(user), { ...(await view(user)), issued: { label, token } })
      } catch (error) {
        reply.code(400)
        return sessionsPage(site.pageUser(user), { ...(await view(user)), label, error: errorSentence(error) })
      }
    })
  })

  site.page('POST', `${PATH}/:id/end`, async (request, reply, user) => {
    const id = idParam(request)
    await sessions.end(user.account, id)
    if (id.toLowerCase() !== user.session.publicId) return reply.redirect(`${PATH}?done=ended`, 303)
    clearSessionCookie(reply)
    return reply.redirect('/sign-in', 303)
  })
}
