import type { FastifyReply, FastifyRequest } from 'fastify'
import { normaliseEmail } from '../../../domain/account/account.ts'
import { EMAIL_UNDO_PATH } from '../../../domain/account/email-change.ts'
import { AppError } from '../../../domain/error.ts'
import { visitor } from '../../../http/actor.ts'
import { clientPrefix } from '../../../http/client-prefix.ts'
import { httpStatusOf, toAppError } from '../../../http/error.ts'
import type { AuthenticatedUser } from '../../auth.ts'
import { type Site, sandboxMailboxUrl } from '../../context.ts'
import { clearSessionCookie, readBrowserCookie, setBrowserCookie } from '../../cookies.ts'
import { errorSentence } from '../../error-text.ts'
import { formFields, queryFields } from '../../forms.ts'
import type { Html } from '../../html.ts'
import { accountPage, deletionRequestedPage, newEmailPage } from '../../pages/account/account.ts'
import { emailUndonePage, undoEmailPage } from '../../pages/account/undo-email.ts'
import { plain } from '../../text/dashboard.ts'

const PATH = '/account'

const FLASHES: ReadonlyMap<string, string> = new Map([
  ['email', plain('email_changed')],
  ['kept', plain('deletion_kept')],
])

export function accountPages(site: Site): void {
  const { accountDeletions, emailChanges } = site.deps

  function reject(error: unknown, reply: FastifyReply): string {
    const message = errorSentence(error)
    reply.code(httpStatusOf(toAppError(error)))
    return message
  }

  function codePage(user: AuthenticatedUser, email: string, error?: string): Html {
    return newEmailPage(site.pageUser(user), {
      email,
      mailboxUrl: sandboxMailboxUrl(site.deps, email),
      ...(error !== undefined && { error }),
    })
  }

  site.page('GET', PATH, async (request, _reply, user) => {
    const flash = FLASHES.get(queryFields(request).done ?? '')
    return accountPage(site.pageUser(user), { ...(flash !== undefined && { flash }) })
  })

  site.page('POST', { path: `${PATH}/email`, rate: 'sign-in' }, async (request, reply, user) => {
    const form = formFields(request)
    const { email = '' } = form
    return site.requireRecentAuth({ request, reply, user, form, menuPath: PATH }, async () => {
      try {
        await emailChanges.request(user.account, user.session, email, clientPrefix(request.ip))
        return reply.redirect(`${PATH}/email`, 303)
      } catch (error) {
        return accountPage(site.pageUser(user), { newEmail: email, error: reject(error, reply) })
      }
    })
  })

  site.page('GET', `${PATH}/email`, async (_request, reply, user) => {
    const email = await emailChanges.pending(user.session)
    if (email === null) return reply.redirect(PATH, 303)
    return codePage(user, email)
  })

  site.page('POST', { path: `${PATH}/email/code`, rate: 'sign-in' }, async (request, reply, user) => {
    const { present_code: present = '', new_code: next = '' } = formFields(request)
    const { account, session, actor } = user
    try {
      const known = readBrowserCookie(request)
      const changed = await emailChanges.confirm(account, session, { present, next }, known, actor)
      setBrowserCookie(reply, changed.knownBrowser)
      return reply.redirect(`${PATH}?done=email`, 303)
    } catch (error) {
      const email = await emailChanges.pending(session)
      const message = reject(error, reply)
      return email === null ? accountPage(site.pageUser(user), { error: message }) : codePage(user, email, message)
    }
  })

  const undoPath = `${EMAIL_UNDO_PATH}/:token`

  // A GET changes nothing: programs that check mails open their links.
  site.publicPage('GET', { path: undoPath, rate: 'sign-in' }, async (request, reply) => {
    const token = tokenParam(request)
    const email = await emailChanges.undoable(token)
    if (email === null) reply.code(404)
    return undoEmailPage(email === null ? null : { email, action: `${EMAIL_UNDO_PATH}/${token}` })
  })

  site.publicPage('POST', { path: undoPath, rate: 'sign-in' }, async (request, reply) => {
    try {
      const actor = { ...visitor(request), by: 'owner' } as const
      const undone = await emailChanges.undo(tokenParam(request), readBrowserCookie(request), actor)
      clearSessionCookie(reply)
      setBrowserCookie(reply, undone.knownBrowser)
      return emailUndonePage(undone.email)
    } catch (error) {
      if (!(error instanceof AppError) || error.code !== 'no_such_link') throw error
      reply.code(404)
      return undoEmailPage(null)
    }
  })

  site.page('POST', `${PATH}/delete`, async (request, reply, user) => {
    const form = formFields(request)
    if (normaliseEmail(form.confirm_email ?? '') !== normaliseEmail(user.account.email)) {
      reply.code(400)
      return accountPage(site.pageUser(user), { error: plain('deletion_email_wrong') })
    }
    return site.requireRecentAuth({ request, reply, user, form, menuPath: PATH }, async () => {
      const dueAt = await accountDeletions.request(user.account, user.actor)
      clearSessionCookie(reply)
      return deletionRequestedPage(dueAt)
    })
  })

  site.page('POST', `${PATH}/keep`, async (_request, reply, user) => {
    await accountDeletions.cancel(user.account, user.actor)
    return reply.redirect(`${PATH}?done=kept`, 303)
  })
}

function tokenParam(request: FastifyRequest): string {
  return (request.params as { token: string }).token
}
