import { formOf, idOf, queryOf } from '../forms.ts'
import { forgetSession, type SignedIn } from '../guard.ts'
import { type SessionsView, sessionsPage } from '../pages/session.ts'
import { type Site, sentence } from '../site.ts'

const PAGE = 50
const AT = '/sessions'

export function sessionPages(site: Site): void {
  const { credentials } = site.deps

  async function view(who: SignedIn, before?: string): Promise<SessionsView> {
    const page = { limit: PAGE + 1, ...(before === undefined ? {} : { before }) }
    const sessions = await credentials.listSessions(who.account, page)
    const last = sessions.length > PAGE ? sessions[PAGE - 1] : undefined
    return {
      sessions: sessions.slice(0, PAGE),
      current: who.session.publicId,
      older: last ? `${AT}?before=${last.publicId}` : null,
    }
  }

  site.page('GET', AT, async (request, _reply, who) => {
    const { before, done } = queryOf(request)
    const notice = done === 'ended' ? { notice: 'The session is ended.' } : {}
    return sessionsPage(site.viewer(who), { ...(await view(who, before)), ...notice })
  })

  site.page('POST', AT, async (request, reply, who) => {
    const form = formOf(request)
    const { label = '' } = form
    return site.fresh({ request, reply, who, form, at: AT }, async () => {
      try {
        const { token } = await credentials.createSession(who.account, label)
        return sessionsPage(site.viewer(who), { ...(await view(who)), issued: { label, token } })
      } catch (fault) {
        reply.code(400)
        return sessionsPage(site.viewer(who), { ...(await view(who)), label, error: sentence(fault) })
      }
    })
  })

  site.page('POST', `${AT}/:id/end`, async (request, reply, who) => {
    const id = idOf(request)
    await credentials.endSession(who.account, id)
    if (id.toLowerCase() !== who.session.publicId) return reply.redirect(`${AT}?done=ended`, 303)
    forgetSession(reply)
    return reply.redirect('/sign-in', 303)
  })
}
