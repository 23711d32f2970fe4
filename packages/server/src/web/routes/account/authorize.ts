import { type Authorization, readAuthorization } from '../../../domain/account/authorization.ts'
import { AppError } from '../../../domain/error.ts'
import { httpStatusOf } from '../../../http/error.ts'
import { AUTHORIZE_PATHS } from '../../after-sign-in.ts'
import type { AuthenticatedUser } from '../../auth.ts'
import type { Site } from '../../context.ts'
import { errorSentence } from '../../error-text.ts'
import { checkFormToken, formToken } from '../../form-token.ts'
import { formFields } from '../../forms.ts'
import { policyWithFormTo } from '../../headers.ts'
import { authorizePage, grantedName, handOverPage, shownKeyPage } from '../../pages/account/authorize.ts'

/**
 * The page on which a shop plugin asks for a key, as BTCPay has it. What is asked for stands in the query, also of the form
 * that allows it, so a page that asks for a code in between keeps it.
 */
export function authorizePages(site: Site): void {
  const { apiKeys, dashboard, keyedHash, publicUrl } = site.deps

  async function consent(asked: Authorization, user: AuthenticatedUser, address: string, error?: string) {
    const { viewingKey } = await dashboard.setupSteps(user.account)
    return authorizePage({
      asked,
      action: address,
      token: formToken(keyedHash, user.session),
      email: user.account.email,
      storeId: user.account.publicId,
      hasViewingKey: viewingKey,
      error,
    })
  }

  for (const path of AUTHORIZE_PATHS) {
    site.page('GET', path, async (request, reply, user) => {
      const asked = readAuthorization(queryOf(request.url), user.account.publicId)
      if (asked.problem !== null) reply.code(400)
      return consent(asked, user, request.url)
    })

    site.page('POST', path, async (request, reply, user) => {
      const form = formFields(request)
      checkFormToken(keyedHash, user.session, form)
      const { account, actor } = user
      const storeId = account.publicId
      const asked = readAuthorization(queryOf(request.url), storeId)
      if (asked.problem !== null) {
        reply.code(400)
        return consent(asked, user, request.url)
      }
      return site.requireRecentAuth({ request, reply, user, form, menuPath: '/api-keys' }, async () => {
        const name = grantedName(asked)
        const rights = { scopes: asked.permissions, expiresAt: null, addresses: null }
        try {
          const { key } = await apiKeys.create(account, name, actor, rights)
          const { receiver, permissions } = asked
          if (receiver === null)
            return shownKeyPage(site.pageUser(user), { name, key, storeId, publicUrl: publicUrl() })
          reply.header('content-security-policy', policyWithFormTo(receiver.origin))
          return handOverPage({ receiver, key, storeId, permissions })
        } catch (error) {
          if (!(error instanceof AppError)) throw error
          reply.code(httpStatusOf(error))
          return consent(asked, user, request.url, errorSentence(error))
        }
      })
    })
  }
}

function queryOf(url: string): string {
  const start = url.indexOf('?')
  return start < 0 ? '' : url.slice(start + 1)
}
