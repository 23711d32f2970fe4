import type * as Wire from '@zatgate/sdk/wire'
import { Type } from 'typebox'
import { LINK_LIMITS, type LinkTerms, type PaymentLink } from '../../../domain/sale/payment-link.ts'
import type { LinkChange, PaymentLinks } from '../../../services/sale/payment-link.ts'
import type { ScopedAccess } from '../../access.ts'
import type { App } from '../../app.ts'
import { accountOf, actorOf } from '../../auth.ts'
import {
  Id,
  IdParam,
  nullable,
  PageQuery,
  parsePage,
  responses,
  UnixSecs,
  wireBody,
  wireObject,
  Zat,
} from '../../schema.ts'

const decimal = (description: string) => Type.String({ maxLength: 25, description })

const FieldSchema = wireObject<Wire.PaymentLinkField>()('PaymentLinkField', {
  label: Type.String({ minLength: 1, maxLength: LINK_LIMITS.label }),
  required: Type.Boolean(),
})

const terms = {
  title: Type.String({ minLength: 1, maxLength: LINK_LIMITS.title, description: 'What is sold. Buyers see it.' }),
  description: nullable(
    Type.String({ minLength: 1, maxLength: LINK_LIMITS.description, description: 'Buyers see it.' }),
  ),
  currency: Type.String({ minLength: 3, maxLength: 4, description: 'ISO 4217, BTC, SATS or ZEC.' }),
  amount: nullable(decimal('Decimal in `currency`. Null: the buyer chooses it, as for a donation.')),
  min_amount: nullable(decimal('The least that a buyer may choose.')),
  suggested_amounts: Type.Array(Type.String({ maxLength: 25 }), {
    maxItems: LINK_LIMITS.suggested,
    description: 'Shown as buttons where the buyer chooses the amount.',
  }),
  stock: nullable(
    Type.Integer({
      minimum: 1,
      maximum: LINK_LIMITS.stock,
      description: 'How many are sold at most. An open invoice holds one until it expires. Null: no limit.',
    }),
  ),
  ends_at: nullable(UnixSecs('When it ends; null: never.')),
  fields: Type.Array(FieldSchema, {
    maxItems: LINK_LIMITS.fields,
    description: 'What the buyer fills in. The answers are `fields` in the metadata of the invoice.',
  }),
  success_url: nullable(
    Type.String({ maxLength: 2048, description: 'Where the checkout leads once the invoice is paid: https.' }),
  ),
}

const PaymentLinkSchema = wireObject<Wire.PaymentLink>()('PaymentLink', {
  ...terms,
  id: Id,
  url: Type.String({ description: 'The page for buyers.' }),
  paused: Type.Boolean({ description: 'A paused link sells nothing.' }),
  paid_invoices: Type.Integer({ description: 'How many of its invoices are paid.' }),
  paid_zat: Zat('What they received.'),
  created_at: UnixSecs('Creation time.'),
  updated_at: UnixSecs('Time of the last change.'),
})

const { title, currency, ...others } = terms
const optional = {
  description: Type.Optional(others.description),
  amount: Type.Optional(others.amount),
  min_amount: Type.Optional(others.min_amount),
  suggested_amounts: Type.Optional(others.suggested_amounts),
  stock: Type.Optional(others.stock),
  ends_at: Type.Optional(others.ends_at),
  fields: Type.Optional(others.fields),
  success_url: Type.Optional(others.success_url),
}

const CreatePaymentLinkSchema = wireBody<Wire.CreatePaymentLinkRequest>()('CreatePaymentLinkRequest', {
  title,
  currency,
  ...optional,
})

const ChangePaymentLinkSchema = wireBody<Wire.ChangePaymentLinkRequest>()('ChangePaymentLinkRequest', {
  title: Type.Optional(title),
  currency: Type.Optional(currency),
  ...optional,
  paused: Type.Optional(Type.Boolean({ description: 'Open invoices can still be paid.' })),
})

/** The page of a link for its buyers. */
export function linkUrl({ publicId }: Pick<PaymentLink, 'publicId'>, publicUrl: string): string {
  return `${publicUrl}/l/${publicId}`
}

function presentLink(link: PaymentLink, publicUrl: string): Wire.PaymentLink {
  return {
    id: link.publicId,
    url: linkUrl(link, publicUrl),
    title: link.title,
    description: link.description,
    currency: link.currency,
    amount: link.amount,
    min_amount: link.minAmount,
    suggested_amounts: [...link.suggestedAmounts],
    stock: link.stock,
    ends_at: link.endsAt,
    fields: link.fields.map(({ label, required }) => ({ label, required })),
    success_url: link.successUrl,
    paused: link.pausedAt !== null,
    paid_invoices: link.paidCount,
    paid_zat: Number(link.paidZat),
    created_at: link.createdAt,
    updated_at: link.updatedAt,
  }
}

function changeOf(body: Wire.ChangePaymentLinkRequest): LinkChange {
  const { min_amount, suggested_amounts, ends_at, success_url, ...same } = body
  return {
    ...same,
    ...(min_amount !== undefined && { minAmount: min_amount }),
    ...(suggested_amounts !== undefined && { suggestedAmounts: suggested_amounts }),
    ...(ends_at !== undefined && { endsAt: ends_at }),
    ...(success_url !== undefined && { successUrl: success_url }),
  }
}

const UNSET: Omit<LinkTerms, 'title' | 'currency'> = {
  description: null,
  amount: null,
  minAmount: null,
  suggestedAmounts: [],
  stock: null,
  endsAt: null,
  fields: [],
  successUrl: null,
}

interface Deps {
  readonly paymentLinks: PaymentLinks
  readonly publicUrl: () => string
}

export function paymentLinkRoutes(app: App, { paymentLinks, publicUrl }: Deps): void {
  const common = { tags: ['payment links'] }
  const read: ScopedAccess = { scopes: ['links:read', 'links:write'], or: 'session' }
  const write: ScopedAccess = { scopes: ['links:write'], or: 'session' }
  const present = (link: PaymentLink) => presentLink(link, publicUrl())

  app.post(
    '/v1/links',
    {
      config: {
        rate: 'session',
        access: write,
        errors: ['too_many_payment_links', 'account_being_deleted', 'too_many_changes'],
      },
      schema: {
        ...common,
        operationId: 'createPaymentLink',
        summary: 'Create a payment link',
        description:
          'A page at `url` from which each buyer creates an invoice. Such an invoice counts in the plan once its amount ' +
          'has arrived. Without an amount the buyer chooses it.',
        body: CreatePaymentLinkSchema,
        response: responses(PaymentLinkSchema),
      },
    },
    async request => {
      const terms = { ...UNSET, ...changeOf(request.body) } as LinkTerms
      return present(await paymentLinks.create(accountOf(request), terms, publicUrl(), actorOf(request)))
    },
  )

  app.get(
    '/v1/links',
    {
      config: { rate: 'list', access: read },
      schema: {
        ...common,
        operationId: 'listPaymentLinks',
        summary: 'List the payment links, newest first',
        querystring: PageQuery,
        response: responses(Type.Array(PaymentLinkSchema)),
      },
    },
    async request => (await paymentLinks.list(accountOf(request), parsePage(request.query))).map(present),
  )

  app.get(
    '/v1/links/:id',
    {
      config: { rate: 'session', access: read, errors: ['no_such_payment_link'] },
      schema: {
        ...common,
        operationId: 'getPaymentLink',
        summary: 'Read a payment link',
        params: IdParam,
        response: responses(PaymentLinkSchema),
      },
    },
    async request => present(await paymentLinks.read(accountOf(request), request.params.id)),
  )

  app.patch(
    '/v1/links/:id',
    {
      config: {
        rate: 'session',
        access: write,
        errors: ['no_such_payment_link', 'account_being_deleted', 'too_many_changes'],
      },
      schema: {
        ...common,
        operationId: 'changePaymentLink',
        summary: 'Change or pause a payment link',
        description: 'Members that are left out stay. Invoices that exist do not change.',
        params: IdParam,
        body: ChangePaymentLinkSchema,
        response: responses(PaymentLinkSchema),
      },
    },
    async request => {
      const { params, body } = request
      const change = changeOf(body)
      return present(await paymentLinks.change(accountOf(request), params.id, change, publicUrl(), actorOf(request)))
    },
  )
}
