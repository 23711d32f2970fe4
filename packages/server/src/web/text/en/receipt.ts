import type { Messages } from '../message.ts'

/** The receipt of a paid invoice, and the mail with it. */
export const receipt = {
  receipt: 'Receipt',
  receipt_of: 'Receipt {number}',
  receipt_amount: 'Amount',
  receipt_paid: 'Paid',
  receipt_rate: 'Exchange rate',
  receipt_received: 'Received',
  receipt_overpaid: 'Paid too much',
  receipt_refunded: 'Refunded',
  receipt_invoice: 'Invoice number',
  receipt_transaction: 'Transaction',
  receipt_newest: 'These are the newest transactions.',
  receipt_print: 'Print or save as PDF',
  receipt_print_by_hand: 'To print this page or save it as a PDF, use the menu of your browser.',
  receipt_mail: 'Send it by mail',
  receipt_address: 'Your email address',
  receipt_address_hint: 'We use it for this one mail, and then forget it.',
  receipt_address_wrong: 'This is not an email address. Enter one such as {example}.',
  receipt_mailed: 'The receipt will be in your mailbox in a few minutes.',
  receipt_mail_limit: 'This receipt has been mailed {count} times, which is the limit. You can still print it.',
  receipt_mail_busy:
    'Too many receipts of this shop were mailed in the last hour. Please try again later. You can print this one now.',
  mail_line: '{label}: {value}',
  mail_page: 'The receipt to print: {link}',
  mail_why: 'Someone entered your address on the page of this receipt. If it was not you, you can ignore this mail.',
} as const satisfies Messages
