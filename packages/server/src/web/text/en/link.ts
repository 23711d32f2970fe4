import type { Messages } from '../message.ts'

/** The page of a payment link. */
export const link = {
  link_pay: 'Pay',
  link_amount: 'Amount in {currency}',
  link_own_amount: 'Or your own amount in {currency}',
  link_choose: 'Choose an amount',
  link_least: 'At least {amount}.',
  link_rate: 'You pay in Zcash. The amount in ZEC is fixed when you continue.',
  link_zcash: 'You pay in Zcash.',
  link_optional: '{label} (optional)',
  link_amount_wrong: 'Enter an amount, such as {example}.',
  link_fill_in: 'Fill in this field.',
  link_paused: 'No payments at the moment',
  link_paused_text: 'The shop has paused this page. Please try again later.',
  link_ended: 'This offer has ended',
  link_ended_text: 'If you have a question about it, ask the shop.',
  link_sold_out: 'Sold out',
  link_sold_out_text: 'Everything is sold, or held for buyers who are paying now.',
  link_busy: 'This shop gets many requests right now. Please try again in a few minutes.',
  link_unavailable: 'The shop cannot take this payment right now. Please try again later, or ask the shop.',
} as const satisfies Messages
