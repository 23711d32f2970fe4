import type { EventType } from '../../../domain/notify/event.ts'

/** When an event of each type is sent. */
export const EVENT_TYPE_TEXTS: Readonly<Record<EventType, string>> = {
  'invoice.paid': 'An invoice is paid and confirmed',
  'invoice.underpaid': 'An invoice expired with too little paid',
  'invoice.created': 'An invoice was created',
  'invoice.detected': 'A payment of the whole amount is seen, not yet confirmed',
  'invoice.part_paid': 'A part of the amount was paid',
  'invoice.expired': 'An invoice expired without a payment',
  'invoice.canceled': 'An invoice was canceled',
  'invoice.late_payment': 'A payment arrived after the expiry',
  'invoice.overpaid': 'More than the amount was paid',
  'invoice.reorged': 'The payment of a paid invoice was removed by a reorganisation',
  'refund.updated': 'A refund was created or changed',
  'swap.updated': 'A swap to pay an invoice changed',
  'swap.refunded': 'The deposit of a swap was sent back to the buyer',
  'swap.failed': 'A swap failed',
  'swap.incomplete_deposit': 'A buyer deposited too little for a swap',
  'withdrawal.updated': 'A withdrawal changed',
  'plan.updated': 'The plan of your account changed',
  test: 'A test that you sent',
}

/** The types that an endpoint can choose, in the order of the form. Tests are sent to it whatever it has chosen. */
export const CHOOSABLE_TYPES = (Object.keys(EVENT_TYPE_TEXTS) as EventType[]).filter(type => type !== 'test')
