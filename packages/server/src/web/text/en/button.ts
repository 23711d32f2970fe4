import type { Messages } from '../message.ts'

/** The checkout over the page of a shop (`assets/checkout.js`). */
export const button = {
  modal_close: 'Close',
  modal_loading: 'Loading …',
  modal_open_page: 'Open the payment page',
} as const satisfies Messages
