import type { Messages } from '../../message.ts'

/** The feed of events, and what each type means. */
export const events = {
  event_paid: 'An invoice is paid and confirmed',
  event_underpaid: 'An invoice expired with too little paid',
  event_created: 'An invoice was created',
  event_payment_received: 'A payment arrived, of any amount',
  event_detected: 'A payment of the whole amount is seen, not yet confirmed',
  event_part_paid: 'A part of the amount was paid',
  event_expired: 'An invoice expired without a payment',
  event_canceled: 'An invoice was canceled',
  event_marked: 'You marked an invoice by hand',
  event_late_payment: 'A payment arrived after the expiry',
  event_overpaid: 'More than the amount was paid',
  event_reorged: 'The payment of a paid invoice was removed by a reorganisation',
  event_refund: 'A refund was created or changed',
  event_swap: 'A swap to pay an invoice changed',
  event_swap_refunded: 'The deposit of a swap was sent back to the buyer',
  event_swap_failed: 'A swap failed',
  event_swap_incomplete: 'A buyer deposited too little for a swap',
  event_withdrawal: 'A payout changed',
  event_plan: 'The plan of your account changed',
  event_test: 'A test that you sent',

  events_none: 'No events yet.',
  events_no_match: 'No matching events.',
  events: 'Events',
  events_lead:
    'Each event, and the servers that it was sent to. Events are kept for 90 days; your programs read the same feed from the [API](link).',
  events_filter: 'Filter events',
  event_name: '{type}, event {seq}',
  event_nowhere: 'nowhere',

  event_sent_nowhere: 'Not sent to any endpoint so far.',
  event_what: 'What happened',
  event_when: 'When',
  events_all: 'All events',
} as const satisfies Messages
