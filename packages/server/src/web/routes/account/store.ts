import type { FastifyReply } from 'fastify'
import { needsRecentSignIn } from '../../../domain/account/account.ts'
import { httpStatusOf, toAppError } from '../../../http/error.ts'
import type { AuthenticatedUser } from '../../auth.ts'
import type { Site } from '../../context.ts'
import { errorSentence } from '../../error-text.ts'
import { type FormFields, fileField, formFields, queryFields } from '../../forms.ts'
import type { Html } from '../../html.ts'
import { parseStoreForm, parseTermsForm, storePage } from '../../pages/account/store.ts'
import { plain } from '../../text/dashboard.ts'

const PATH = '/store'

const FLASHES: ReadonlyMap<string, string> = new Map([
  ['saved', plain('store_saved')],
  ['logo', plain('store_logo_saved')],
  ['removed', plain('store_logo_removed')],
])

export function storePages(site: Site): void {
  const { accounts, publicUrl, storeProfiles } = site.deps

  const show = async (
    user: AuthenticatedUser,
    shown: { readonly form?: FormFields; readonly flash?: string | undefined; readonly error?: string } = {},
  ) => {
    const profile = await storeProfiles.ofAccountId(user.account.id)
    return storePage(site.pageUser(user), { profile, terms: user.account, ...shown })
  }

  /** Does a change and shows its result, or why it is refused with the form as it was sent. */
  async function answer(
    user: AuthenticatedUser,
    reply: FastifyReply,
    { done, form }: { readonly done: string; readonly form?: FormFields },
    change: () => Promise<unknown>,
  ): Promise<Html | FastifyReply> {
    try {
      await change()
      return reply.redirect(`${PATH}?done=${done}`, 303)
    } catch (error) {
      reply.code(httpStatusOf(toAppError(error)))
      return show(user, { ...(form && { form }), error: errorSentence(error) })
    }
  }

  site.page('GET', PATH, async (request, _reply, user) =>
    show(user, { flash: FLASHES.get(queryFields(request).done ?? '') }),
  )

  site.page('POST', PATH, async (request, reply, user) => {
    const form = formFields(request)
    return answer(user, reply, { done: 'saved', form }, () =>
      storeProfiles.change(user.account, parseStoreForm(form), publicUrl(), user.actor),
    )
  })

  site.page('POST', { path: `${PATH}/logo`, rate: 'viewing-key', takesFile: true }, async (request, reply, user) =>
    answer(user, reply, { done: 'logo' }, async () =>
      storeProfiles.setLogo(user.account, await fileField(request, 'logo'), user.actor),
    ),
  )

  site.page('POST', `${PATH}/logo/remove`, async (_request, reply, user) =>
    answer(user, reply, { done: 'removed' }, () => storeProfiles.removeLogo(user.account, user.actor)),
  )

  site.page('POST', `${PATH}/terms`, async (request, reply, user) => {
    const form = formFields(request)
    const terms = parseTermsForm(form)
    const set = (hasRecentSignIn: boolean) =>
      answer(user, reply, { done: 'saved' }, () => accounts.setTerms(user.account, terms, user.actor, hasRecentSignIn))
    if (!needsRecentSignIn(user.account, terms)) return set(false)
    return site.requireRecentAuth({ request, reply, user, form, menuPath: PATH }, () => set(true))
  })
}
