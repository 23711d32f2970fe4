import { randomUUID } from 'node:crypto'
import type { Account } from '../../src/domain/account/account.ts'
import { credentialHash, formatCredential } from '../../src/domain/account/credential.ts'
import { call } from '../harness/http-call.ts'
import type { SandboxService } from '../harness/service.ts'
import { until } from '../harness/until.ts'
import { testViewingKey } from '../harness/viewing-key.ts'

/** An account with one record of every kind. */
export interface Merchant {
  readonly account: Account
  readonly apiKey: string
  readonly viewingKey: string
  readonly ids: {
    readonly apiKey: string
    readonly invoice: string
    readonly endpoint: string
    readonly delivery: string
    readonly attempt: string
    readonly session: string
    readonly withdrawal: string
    readonly refund: string
    readonly link: string
  }
  /** The token of a new session that counts as recently authenticated. */
  token(): Promise<string>
  expiredToken(): Promise<string>
  endedToken(): Promise<string>
  /** Texts that only this account may see. */
  traces(): readonly string[]
}

export async function openMerchant(harness: SandboxService, name: string, seed: number): Promise<Merchant> {
  const { accounts, apiKeys, endpoints, invoices, paymentLinks, sessions, store, viewingKeys, webhooks } =
    harness.service
  const email = `${name}@example.org`
  await accounts.findOrCreate(email)
  const { publicId } = await accounts.setPlan(email, 'Business', null)
  const viewingKey = testViewingKey(seed)
  await viewingKeys.set(await accounts.findByEmail(email), viewingKey)
  const account = await accounts.findByEmail(email)
  const made = await apiKeys.create(account, `key of ${name}`)
  const amountZat = BigInt(seed) * 1_000_003n
  const invoice = await invoices.create(account, { amountZat, expiresInSecs: 900, idempotencyKey: undefined })
  await webhooks.set(account, `${harness.sandbox.webhookReceiver.url}?${name}`)
  const { endpoint } = await endpoints.create(account, { url: `https://books.example/?${name}`, enabled: false })
  const delivery = await webhooks.test(account)
  const [attempt] = await until(`the delivery to ${name}`, async () => {
    const attempts = await webhooks.attempts(account, { limit: 1 })
    return attempts[0]?.durationMs != null && attempts
  })
  const session = await sessions.create(account, `session of ${name}`)

  async function token(): Promise<string> {
    const issued = await sessions.create(account, `token of ${name}`)
    await store.write(tx => tx.signIn.setRecentlyAuthenticatedUntil(issued.session.id, 4_000_000_000))
    return issued.token
  }

  const order = await call(harness, 'POST /v1/account/withdrawals', {
    token: session.token,
    json: { amount_zat: Number(amountZat), fiat_currency: 'EUR', payout_to: `IBAN of ${name}` },
  })
  if (order.status !== 200) throw new Error(`creating a withdrawal for ${name} failed: ${order.text}`)

  const refund = await store.write(tx =>
    tx.refunds.insert(
      {
        publicId: randomUUID(),
        linkId: randomUUID(),
        accountId: account.id,
        invoiceId: invoice.id,
        status: 'awaiting_address',
        amountZat,
        reason: `refund of ${name}`,
        address: null,
        addressFromBuyer: false,
        createdAt: 1,
        updatedAt: 1,
      },
      null,
    ),
  )

  const link = await paymentLinks.create(
    account,
    {
      title: `link of ${name}`,
      description: null,
      currency: 'EUR',
      amount: null,
      minAmount: null,
      suggestedAmounts: [],
      stock: null,
      endsAt: null,
      fields: [],
      successUrl: null,
    },
    harness.url,
  )

  return {
    account,
    apiKey: made.key,
    viewingKey,
    token,
    ids: {
      apiKey: made.apiKey.publicId,
      invoice: invoice.publicId,
      endpoint: endpoint.publicId,
      delivery,
      attempt: attempt?.publicId as string,
      session: session.session.publicId,
      withdrawal: order.body.id,
      refund: refund.publicId,
      link: link.publicId,
    },

    async expiredToken() {
      const text = formatCredential('session', crypto.getRandomValues(new Uint8Array(32)))
      const hash = credentialHash(text)
      const row = {
        publicId: randomUUID(),
        accountId: account.id,
        label: 'old',
        origin: 'script',
        hash,
        createdAt: 1,
        expiresAt: 2,
      } as const
      await store.write(tx => tx.sessions.insert(row))
      return text
    },

    async endedToken() {
      const issued = await sessions.create(account, 'ended')
      const response = await call(harness, 'POST /v1/auth/logout', { token: issued.token })
      if (response.status !== 204) throw new Error(`logout failed: ${response.text}`)
      return issued.token
    },

    traces: () => [
      email,
      publicId,
      invoice.publicId,
      invoice.address,
      made.apiKey.publicId,
      `key of ${name}`,
      `session of ${name}`,
      `?${name}`,
      endpoint.publicId,
      session.session.publicId,
      order.body.id,
      refund.publicId,
      refund.linkId,
      `refund of ${name}`,
    ],
  }
}
