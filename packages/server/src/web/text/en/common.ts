import type { Messages } from '../message.ts'

/** On every page for buyers. */
export const common = {
  test_bar: '*TEST.* No real money. Do not pay with a real wallet.',
  chain_unseen: 'We can’t see the Zcash network right now. Your payment is safe and will appear once we can.',
  no_connection:
    'No connection. This page may be out of date. It updates by itself once it is back, and a payment that you have sent is safe.',
  payment: 'Payment',
  copy: 'Copy',
  copied: 'Copied',
  not_copied: 'Not copied',
  copy_amount: 'Copy the amount',
  copy_address: 'Copy the address',
  copy_number: 'Copy the invoice number',
  copy_txid: 'Copy the transaction ID',
  order: 'Order {order}',
  invoice_number: 'Invoice {number}',
  support: 'Help from the shop',
  language: 'Language',
  made_with: 'Payments by zatgate',
  back_to: 'Back to {shop}',
  returning_to: 'Returning to {shop} …',
  link_broken: 'This payment link does not work',
  link_broken_text: 'Check the link in your order, or ask the shop.',
  link_gone: 'This page is no longer available',
  link_gone_text: 'The invoice was closed a while ago. If you have a question about it, ask the shop.',
  too_many: 'Too many requests',
  too_many_text: 'Please wait a minute, and open this page again. A payment that you have sent is safe.',
  went_wrong: 'Something went wrong',
  went_wrong_text: 'Please open this page again in a minute. A payment that you have sent is safe.',
} as const satisfies Messages
