import type { FastifyRequest } from 'fastify'
import { checkoutState } from '../../../domain/sale/checkout.ts'
import { priceDecimals } from '../../../domain/sale/price.ts'
import { httpStatusOf, toAppError } from '../../../http/error.ts'
import { nowSecs } from '../../../ports/clock.ts'
import { parseDecimal } from '../../amount.ts'
import { assetPath, KEYPAD_WORKER } from '../../assets.ts'
import type { BuyerView } from '../../components/buyer/buyer-page.ts'
import { NO_SHOP, shopOf } from '../../components/buyer/shop.ts'
import type { Site } from '../../context.ts'
import { errorSentence } from '../../error-text.ts'
import { formFields } from '../../forms.ts'
import { keypadPage, keypadSalePage, offlinePage } from '../../pages/sale/keypad.ts'
import { textIn } from '../../text/text.ts'

/** The keypad at the counter. The secret in its path is the credential: its page is the merchant's, and in English. */
export function keypadPages(site: Site): void {
  const { app, deps } = site
  const { clock, linkSales, network, random, storeProfiles } = deps

  const secretOf = (request: FastifyRequest) => (request.params as { secret: string }).secret

  async function viewFor(accountId: number): Promise<BuyerView> {
    const shop = shopOf(await storeProfiles.ofAccountId(accountId))
    return { text: textIn('en'), shop, embedding: null, isTest: network !== 'main' }
  }

  async function entry(request: FastifyRequest, shown: { readonly amount?: string; readonly error?: string } = {}) {
    const secret = secretOf(request)
    const { link, closed } = await linkSales.readKeypad(secret)
    const view = await viewFor(link.accountId)
    return keypadPage({ ...view, ...shown, path: `/pos/${secret}`, link, closed, formId: random.uuid() })
  }

  site.publicPage('GET', '/pos/offline', async () =>
    offlinePage({ text: textIn('en'), shop: NO_SHOP, embedding: null, isTest: false }),
  )

  site.publicPage('GET', '/pos/:secret', request => entry(request))

  site.publicPage('POST', { path: '/pos/:secret', rate: 'link' }, async (request, reply) => {
    const secret = secretOf(request)
    const { amount = '', form = '' } = formFields(request)
    const { link } = await linkSales.readKeypad(secret)
    try {
      const decimal = parseDecimal(amount, priceDecimals(link.currency)) ?? ''
      const { publicId } = await linkSales.ring(secret, { amount: decimal, formId: form })
      return reply.redirect(`/pos/${secret}/sale/${publicId}`, 303)
    } catch (thrown) {
      if (toAppError(thrown).kind === 'not_found') throw thrown
      const error = errorSentence(thrown)
      reply.code(httpStatusOf(toAppError(thrown)))
      return entry(request, { amount, error })
    }
  })

  site.publicPage('GET', '/pos/:secret/sale/:id', async request => {
    const { id } = request.params as { id: string }
    const secret = secretOf(request)
    const invoice = await linkSales.readSale(secret, id)
    const now = nowSecs(clock)
    const view = await viewFor(invoice.accountId)
    const isChainSeen = await deps.readiness.isChainSeen()
    return keypadSalePage({
      ...view,
      path: `/pos/${secret}`,
      invoice,
      state: checkoutState(invoice, now),
      now,
      isChainSeen,
    })
  })

  const options = { config: { rate: 'read', access: 'public' } } as const

  app.get('/pos/:secret/manifest.webmanifest', options, async (request, reply) => {
    const { link } = await linkSales.readKeypad(secretOf(request))
    const start = `/pos/${secretOf(request)}`
    return reply.type('application/manifest+json').send({
      id: start,
      start_url: start,
      scope: '/pos/',
      name: link.title,
      short_name: link.title.slice(0, 12),
      display: 'standalone',
      background_color: '#ffffff',
      theme_color: '#ffffff',
      icons: [{ src: assetPath('icon.svg'), type: 'image/svg+xml', sizes: 'any' }],
    })
  })

  // In the folder of its scope, and asked for again by each browser: its address cannot have a version.
  app.get('/pos/worker.js', options, (_request, reply) =>
    reply.header('cache-control', 'no-cache').type('text/javascript; charset=utf-8').send(KEYPAD_WORKER),
  )
}
