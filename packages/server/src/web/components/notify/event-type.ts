import type { EventType } from '../../../domain/notify/event.ts'
import { plain } from '../../text/dashboard.ts'

/** When an event of each type is sent. */
export const EVENT_TYPE_TEXTS: Readonly<Record<EventType, string>> = {
  'invoice.paid': plain('event_paid'),
  'invoice.underpaid': plain('event_underpaid'),
  'invoice.created': plain('event_created'),
  'invoice.payment_received': plain('event_payment_received'),
  'invoice.detected': plain('event_detected'),
  'invoice.part_paid': plain('event_part_paid'),
  'invoice.expired': plain('event_expired'),
  'invoice.canceled': plain('event_canceled'),
  'invoice.marked': plain('event_marked'),
  'invoice.late_payment': plain('event_late_payment'),
  'invoice.overpaid': plain('event_overpaid'),
  'invoice.reorged': plain('event_reorged'),
  'refund.updated': plain('event_refund'),
  'swap.updated': plain('event_swap'),
  'swap.refunded': plain('event_swap_refunded'),
  'swap.failed': plain('event_swap_failed'),
  'swap.incomplete_deposit': plain('event_swap_incomplete'),
  'withdrawal.updated': plain('event_withdrawal'),
  'plan.updated': plain('event_plan'),
  test: plain('event_test'),
}

/** The types that an endpoint can choose, in the order of the form. Tests are sent to it whatever it has chosen. */
export const CHOOSABLE_TYPES = (Object.keys(EVENT_TYPE_TEXTS) as EventType[]).filter(type => type !== 'test')
