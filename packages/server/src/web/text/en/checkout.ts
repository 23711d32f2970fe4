import type { Messages } from '../message.ts'

/** The page where a buyer pays an invoice. */
export const checkout = {
  title_pay: 'Pay with Zcash',
  title_choose: 'Choose the amount',
  title_seen: 'Payment seen',
  title_paid: 'Paid',
  title_rest: 'Pay the rest',
  title_rest_awaited: 'Waiting for the rest',
  title_time_up: 'The time is up',
  title_expired: 'Expired',
  title_settled: 'Nothing left to pay',
  title_canceled: 'Canceled',
  title_underpaid: 'Not paid in full',

  steps: 'Progress',
  step_pay: 'Pay',
  step_seen: 'Seen',
  step_confirmed: 'Confirmed',
  step_confirmed_of: '{confirmed} of {needed}',
  step_done: 'Done',

  pay_by: 'Pay by {time}',
  time_left: '{time} left',
  page_updates: 'This page updates by itself when the payment arrives.',
  time_up_now:
    '*Time is up.* If you have paid, keep this page open: it shows your payment as soon as it is seen. If you have not, do not pay now.',
  time_up_part: '*Time is up.* If you have paid, keep this page open: it shows your payment as soon as it is seen.',

  with_zcash: 'Zcash',
  with_other: 'BTC, USDC, …',
  ways_to_pay: 'Ways to pay',

  open_wallet: 'Open in your wallet',
  show_qr: 'Show the QR code',
  qr_request: 'Payment request as a QR code',
  scan: 'Scan this with your Zcash wallet',
  by_hand: 'Or pay by hand',
  exact_amount: 'Exact amount',
  address: 'To this address',
  choose_amount: 'Enter any amount in your wallet.',
  choose_at_least: 'Enter any amount in your wallet, at least *{amount}*.',

  no_wallet: 'No wallet yet?',
  no_wallet_text:
    'You need a wallet that can pay shielded Zcash, and some ZEC in it. The makers of these wallets document that they open a payment request like this one:',
  no_wallet_then: 'Get some ZEC into the wallet. Then scan the code of this page, or open the page on the same phone.',

  received_rest: '{received} has arrived. {rest} is left to pay.',
  received_at_least: '{received} has arrived. At least {rest} more is needed.',
  rest_of: 'the rest of {price}',

  seen: 'Your payment has been seen. *There is nothing more to do.*',
  seen_late: 'Your payment arrived after the time was up. *It still counts. Do not pay again.*',
  seen_after_cancel:
    'Your payment arrived after the shop had canceled the invoice. *It still counts. Do not pay again.*',
  confirms_in: 'The network usually confirms it in about {time}.',
  confirms_at_once: 'It is confirmed at once.',
  may_close: 'You can close this page.',

  paid: 'Thank you. The payment is confirmed.',
  paid_late: 'Thank you. The payment arrived after the time was up, and it counts.',
  overpaid: 'You have paid *{amount}* too much.',
  overpaid_ask: 'The shop sees it, and owes it to you. Ask the shop to send it back.',
  reorged_title: 'Your payment is being confirmed again',
  reorged:
    'The Zcash network has replaced its newest blocks, and your payment is not in them yet. Usually it is again within minutes. *Do not pay again.* The shop knows.',

  rest_counts:
    '{received} of {whole} has arrived. The time is up, but the rest still counts until {time}. *Do not pay the whole amount again.*',
  rest_counts_open:
    '{received} of at least {whole} has arrived. The time is up, but the rest still counts until {time}.',
  rest_awaited:
    '{received} of {whole} has arrived, and the deposit above may still pay the rest. *Do not pay again now.* This page updates when it arrives.',
  rest_unwanted: 'If you no longer want to pay, ask the shop to send back what has arrived.',

  late: '*If you have paid, do not pay again.* Keep this page open: it shows your payment as soon as it is seen. It counts until {time}.',
  late_unpaid: 'If you have not paid, do not pay this invoice. Ask the shop for a new one.',
  settled: 'The shop has marked this order as paid. *Do not pay anything more.*',
  canceled: '*Do not pay.* The shop has canceled this invoice.',
  canceled_paid:
    'If you have paid already, do not pay again. This page shows your payment as soon as it is seen. It counts until {time}.',
  canceled_part:
    'The shop has canceled this invoice. {received} has arrived. *Do not pay the rest.* Ask the shop to send back what has arrived.',
  over: 'This invoice has expired. *Do not pay it.* Ask the shop for a new one.',
  over_part:
    'Only {received} arrived in time. Payments to this invoice no longer count: *do not pay the rest.* Ask the shop to send back what arrived.',
} as const satisfies Messages
