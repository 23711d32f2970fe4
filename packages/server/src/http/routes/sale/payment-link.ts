import type * as Wire from '@zatgate/sdk/wire'
import { Type } from 'typebox'
import { wireFields } from '../../../domain/field.ts'
import { type LinkMembers, type LinkTerms, type PaymentLink, UNSET_TERMS } from '../../../domain/sale/payment-link.ts'
import { LINK_FIELDS } from '../../../domain/sale/payment-link-fields.ts'
import type { PaymentLinks } from '../../../services/sale/payment-link.ts'
import type { ScopedAccess } from '../../access.ts'
import type { App } from '../../app.ts'
import { accountOf, actorOf } from '../../auth.ts'
import {
  changeMembers,
  fieldSchema,
  IdParam,
  type MemberSchemas,
  PageQuery,
  parsePage,
  responses,
  wireBody,
  wireObject,
} from '../../schema.ts'

const FIELDS = wireFields(LINK_FIELDS)

/** Computed from `pausedAt`. */
const paused = (description: string) => Type.Boolean({ description })

const PaymentLinkSchema = wireObject<Wire.PaymentLink>()('PaymentLink', {
  ...(Object.fromEntries(
    [...FIELDS].map(([wire, [, field]]) => [wire, fieldSchema(field)]),
  ) as MemberSchemas<LinkMembers>),
  url: Type.String({ description: 'The page for buyers.' }),
  paused: paused('A paused link sells nothing.'),
})

const changed = {
  ...changeMembers(LINK_FIELDS),
  suggested_amounts: Type.Optional(
    Type.Unsafe<readonly string[]>(
      Type.Array(Type.String({ maxLength: LINK_FIELDS.amount.request.maxLength }), {
        ...LINK_FIELDS.suggestedAmounts.request,
        description: LINK_FIELDS.suggestedAmounts.meaning,
      }),
    ),
  ),
}

const CreatePaymentLinkSchema = wireBody<Wire.CreatePaymentLinkRequest>()('CreatePaymentLinkRequest', {
  ...changed,
  title: Type.String({ ...LINK_FIELDS.title.request, description: LINK_FIELDS.title.meaning }),
  currency: Type.String({ ...LINK_FIELDS.currency.request, description: LINK_FIELDS.currency.meaning }),
})

const ChangePaymentLinkSchema = wireBody<Wire.ChangePaymentLinkRequest>()('ChangePaymentLinkRequest', {
  ...changed,
  paused: Type.Optional(paused('Open invoices can still be paid.')),
})

/** The page of a link for its buyers. */
export function linkUrl({ publicId }: Pick<PaymentLink, 'publicId'>, publicUrl: string): string {
  return `${publicUrl}/l/${publicId}`
}

function presentLink(link: PaymentLink, publicUrl: string): Wire.PaymentLink {
  const members = [...FIELDS].map(([wire, [name]]) => [wire, link[name as keyof PaymentLink]])
  return {
    ...(Object.fromEntries(members) as LinkMembers),
    paid_zat: Number(link.paidZat),
    url: linkUrl(link, publicUrl),
    paused: link.pausedAt !== null,
  }
}

/** The given terms, by the names of the fields. */
function termsOf(body: object): Partial<LinkTerms> {
  return Object.fromEntries(Object.entries(body).map(([wire, value]) => [FIELDS.get(wire)![0], value]))
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
      const terms = { ...UNSET_TERMS, ...termsOf(request.body) } as LinkTerms
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
      const { paused, ...terms } = body
      const change = { ...termsOf(terms), ...(paused !== undefined && { paused }) }
      return present(await paymentLinks.change(accountOf(request), params.id, change, publicUrl(), actorOf(request)))
    },
  )
}
