import type { Fields } from '../field.ts'
import { MAX_SHOP_URL_CHARS } from './invoice-fields.ts'
import { LINK_FIELD_LIMITS } from './link-field.ts'

const UNSET = { nullable: true, initial: null } as const
/** More than the longest price. */
const MAX_AMOUNT_CHARS = 25

/** The fields of a payment link. Amounts are decimals in its currency. */
export const LINK_FIELDS = {
  id: { column: 'id', type: 'integer', fromDatabase: true },
  /** Unguessable, and in the address of the page. */
  publicId: { column: 'public_id', type: 'text', wire: 'id', meaning: 'UUID.' },
  accountId: { column: 'account_id', type: 'integer' },
  title: {
    column: 'title',
    type: 'text',
    request: { minLength: 1, maxLength: 200 },
    wire: 'title',
    meaning: 'The name of what is sold. Buyers see it.',
  },
  description: {
    column: 'description',
    type: 'text',
    ...UNSET,
    request: { minLength: 1, maxLength: 1_000 },
    wire: 'description',
    meaning: 'Buyers see it.',
  },
  currency: {
    column: 'currency',
    type: 'text',
    request: { minLength: 3, maxLength: 4 },
    wire: 'currency',
    meaning: 'ISO 4217, BTC, SATS or ZEC.',
  },
  amount: {
    column: 'amount',
    type: 'text',
    ...UNSET,
    request: { maxLength: MAX_AMOUNT_CHARS },
    wire: 'amount',
    meaning: 'Decimal in `currency`. Null: the buyer chooses it, as for a donation.',
  },
  minAmount: {
    column: 'min_amount',
    type: 'text',
    ...UNSET,
    request: { maxLength: MAX_AMOUNT_CHARS },
    wire: 'min_amount',
    meaning: 'The least that a buyer may choose.',
  },
  suggestedAmounts: {
    column: 'suggested_amounts',
    type: 'texts',
    initial: [],
    request: { maxItems: 4 },
    wire: 'suggested_amounts',
    meaning: 'Shown as buttons where the buyer chooses the amount.',
  },
  stock: {
    column: 'stock',
    type: 'integer',
    ...UNSET,
    request: { minimum: 1, maximum: 1_000_000 },
    wire: 'stock',
    meaning: 'How many are sold at most. An open invoice holds one until it expires. Null: no limit.',
  },
  endsAt: {
    column: 'ends_at',
    type: 'time',
    ...UNSET,
    request: {},
    wire: 'ends_at',
    meaning: 'When it ends; null: never.',
  },
  fields: {
    column: 'fields',
    type: 'linkFields',
    initial: [],
    request: { maxItems: LINK_FIELD_LIMITS.fields },
    wire: 'fields',
    meaning: 'The fields that the buyer fills in. The answers are `fields` in the metadata of the invoice.',
  },
  successUrl: {
    column: 'success_url',
    type: 'text',
    ...UNSET,
    request: { maxLength: MAX_SHOP_URL_CHARS },
    wire: 'success_url',
    meaning: 'Where the checkout leads once the invoice is paid: https.',
  },
  pausedAt: { column: 'paused_at', type: 'time', ...UNSET, changedBy: 'merchant' },
  paidCount: {
    column: 'paid_count',
    type: 'integer',
    initial: 0,
    changedBy: 'payments',
    wire: 'paid_invoices',
    meaning: 'How many of its invoices are paid.',
  },
  paidZat: {
    column: 'paid_zat',
    type: 'zat',
    initial: 0n,
    changedBy: 'payments',
    wire: 'paid_zat',
    meaning: 'The sum that its paid invoices received.',
  },
  createdAt: { column: 'created_at', type: 'time', wire: 'created_at', meaning: 'Creation time.' },
  updatedAt: { column: 'updated_at', type: 'time', wire: 'updated_at', meaning: 'Time of the last change.' },
} as const satisfies Fields
