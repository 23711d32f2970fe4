import type { FastifyReply } from 'fastify'
import { type Account, needsRecentSignIn, saleTermsOf } from '../../../domain/account/account.ts'
import { AppError } from '../../../domain/error.ts'
import { withoutMarksAround } from '../../../domain/text.ts'
import type { AuthenticatedUser } from '../../auth.ts'
import type { Site } from '../../context.ts'
import { errorSentence } from '../../error-text.ts'
import { formFields, queryFields } from '../../forms.ts'
import type { Html } from '../../html.ts'
import { viewingKeyPage } from '../../pages/account/viewing-key.ts'
import { plain } from '../../text/dashboard.ts'

const PATH = '/viewing-key'

export function viewingKeyPages(site: Site): void {
  const { accounts, blockSpacing, dashboard, network, sandboxTools, viewingKeys } = site.deps

  const view = async (account: Account) => ({
    firstAddress: await viewingKeys.firstAddress(account),
    network,
    confirmations: account.confirmations,
    expiry: account.viewingKeyExpiry,
    spacingSecs: await blockSpacing.current(),
    demoKey: sandboxTools?.viewingKey ?? null,
    showNextStep: false,
  })

  /** Shows the error without repeating the submitted text. */
  async function reject(error: unknown, reply: FastifyReply, user: AuthenticatedUser): Promise<Html> {
    reply.code(error instanceof AppError && error.kind === 'conflict' ? 409 : 400)
    return viewingKeyPage(site.pageUser(user), { ...(await view(user.account)), error: errorSentence(error) })
  }

  site.page('GET', PATH, async (request, _reply, user) => {
    const flash = queryFields(request).done === 'confirmations' ? { flash: plain('confirmations_saved') } : {}
    return viewingKeyPage(site.pageUser(user), { ...(await view(user.account)), ...flash })
  })

  site.page('POST', { path: PATH, rate: 'viewing-key' }, async (request, reply, user) => {
    const form = formFields(request)
    const text = withoutMarksAround(form.viewing_key ?? '')
    try {
      // Checked before a code is requested: that page keeps the form, and this text may be a secret pasted by mistake.
      await viewingKeys.check(text)
    } catch (error) {
      return reject(error, reply, user)
    }
    return site.requireRecentAuth({ request, reply, user, form, menuPath: PATH }, () => set(user))

    async function set({ account: before, actor }: AuthenticatedUser) {
      try {
        const { account, firstAddress } = await viewingKeys.set(before, text, actor)
        const setupSteps = await dashboard.setupSteps(account)
        const changed = {
          firstAddress,
          justSet: true,
          showNextStep: !setupSteps.invoice,
          flash: plain('viewing_key_saved'),
        }
        const shown = { ...(await view(account)), ...changed }
        return viewingKeyPage(site.pageUser(user), shown)
      } catch (error) {
        return reject(error, reply, user)
      }
    }
  })

  site.page('POST', '/confirmations', async (request, reply, user) => {
    const form = formFields(request)
    const { confirmations = '' } = form
    const number = /^\d{1,3}$/.test(confirmations) ? Number(confirmations) : Number.NaN
    const set = async (hasRecentSignIn: boolean) => {
      try {
        await accounts.setTerms(user.account, { confirmations: number }, user.actor, hasRecentSignIn)
        return reply.redirect(`${PATH}?done=confirmations`, 303)
      } catch (error) {
        return reject(error, reply, user)
      }
    }
    if (!needsRecentSignIn(user.account, { ...saleTermsOf(user.account), confirmations: number })) return set(false)
    return site.requireRecentAuth({ request, reply, user, form, menuPath: PATH }, () => set(true))
  })
}
