import { Fault } from '../../domain/error.ts'
import type { Webhook } from '../../ports/repository/webhook.ts'
import { formOf, idOf, queryOf } from '../forms.ts'
import type { SignedIn } from '../guard.ts'
import { attemptPage, type WebhookView, webhookPage } from '../pages/webhook.ts'
import { type Site, sentence } from '../site.ts'

const PAGE = 25
const AT = '/webhook'

const NOTICES: ReadonlyMap<string, string> = new Map([
  ['url', 'The URL is changed, for what is yet to be sent too.'],
  ['test', 'A test is on its way: it shows below once it is sent.'],
  ['resend', 'It is being sent again, as a delivery of its own.'],
  ['removed', 'The webhook is removed: nothing more is sent.'],
])

export function webhookPages(site: Site): void {
  const { webhooks } = site.deps

  async function view(who: SignedIn, before?: string): Promise<WebhookView> {
    const attempts = await webhooks.attempts(who.account, {
      limit: PAGE + 1,
      ...(before === undefined ? {} : { before }),
    })
    const last = attempts.length > PAGE ? attempts[PAGE - 1] : undefined
    return {
      webhook: await webhookOf(who),
      attempts: attempts.slice(0, PAGE),
      older: last ? `${AT}?before=${last.publicId}` : null,
    }
  }

  async function webhookOf({ account }: SignedIn): Promise<Webhook | null> {
    try {
      return await webhooks.read(account)
    } catch (fault) {
      if (fault instanceof Fault && fault.code === 'webhook_not_set') return null
      throw fault
    }
  }

  site.page('GET', AT, async (request, _reply, who) => {
    const { before, done = '' } = queryOf(request)
    const notice = NOTICES.get(done)
    const awaiting = done === 'test' || done === 'resend'
    const shown = { ...(await view(who, before)), awaiting, ...(notice === undefined ? {} : { notice }) }
    return webhookPage(site.viewer(who), shown)
  })

  site.page('POST', AT, async (request, reply, who) => {
    const form = formOf(request)
    const { url = '' } = form
    return site.fresh({ request, reply, who, form, at: AT }, async () => {
      try {
        const { secret } = await webhooks.set(who.account, url.trim())
        if (secret === null) return reply.redirect(`${AT}?done=url`, 303)
        return webhookPage(site.viewer(who), { ...(await view(who)), secret, notice: 'The webhook is set.' })
      } catch (fault) {
        reply.code(400)
        return webhookPage(site.viewer(who), { ...(await view(who)), url, error: sentence(fault) })
      }
    })
  })

  site.page('POST', `${AT}/rotate-secret`, async (request, reply, who) =>
    site.fresh({ request, reply, who, form: formOf(request), at: AT }, async () => {
      const secret = await webhooks.rotateSecret(who.account)
      return webhookPage(site.viewer(who), { ...(await view(who)), secret, notice: 'The secret is rotated.' })
    }),
  )

  site.page('POST', `${AT}/remove`, async (request, reply, who) =>
    site.fresh({ request, reply, who, form: formOf(request), at: AT }, async () => {
      await webhooks.remove(who.account)
      return reply.redirect(`${AT}?done=removed`, 303)
    }),
  )

  site.page('POST', `${AT}/test`, async (_request, reply, who) => {
    await webhooks.test(who.account)
    return reply.redirect(`${AT}?done=test`, 303)
  })

  site.page('POST', `${AT}/deliveries/:id/resend`, async (request, reply, who) => {
    await webhooks.resend(who.account, idOf(request))
    return reply.redirect(`${AT}?done=resend`, 303)
  })

  site.page('GET', `${AT}/attempts/:id`, async (request, _reply, who) => {
    const attempt = await webhooks.attempt(who.account, idOf(request))
    return attemptPage(site.viewer(who), attempt, { webhookSet: (await webhookOf(who)) !== null })
  })
}
