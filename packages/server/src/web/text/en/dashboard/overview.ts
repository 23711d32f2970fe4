import type { Messages } from '../../message.ts'

/** The overview, and everything that needs attention. */
export const overview = {
  overview: 'Overview',
  overview_now: 'Now',
  overview_open: 'Open invoices',
  overview_pending: '[{count} pending](link)',
  overview_detected: '[{count} detected](link)',
  overview_plan: '{plan} plan',
  overview_used_no_limit: {
    one: 'invoice this month, no limit · resets {time}',
    other: 'invoices this month, no limit · resets {time}',
  },
  overview_used_of: {
    one: 'invoice this month, of {limit} · resets {time}',
    other: 'invoices this month, of {limit} · resets {time}',
  },
  overview_recent: 'Recent invoices',
  overview_all: 'All invoices',

  step_viewing_key_hint: 'Your wallet exports it. It lets us see incoming payments, and it cannot spend.',
  step_payment: 'Try a payment',
  step_payment_hint: 'Create an invoice by hand, pay a small amount, and see it arrive in your wallet.',
  step_payment_action: 'Create your first invoice',
  step_connect: 'Connect your shop',
  step_connect_action: 'Create an API key',
  steps: 'Three steps to your first payment',
  step_done_mark: 'done',
  step_connect_hint:
    'Your server creates invoices with an API key and is notified of payments by [webhook](webhooks). Guides: {guides}. [All guides](all).',

  sales: 'Sales',
  sales_today: 'Today',
  sales_week: 'This week',
  sales_month: 'This month',
  sales_days: 'The last 30 days',
  sales_counted:
    'An invoice counts on the day it was paid, in UTC. Periods are compared by their complete days, so without today.',
  sales_estimated: 'With ≈, invoices without a price in {currency} are valued at the current rate.',
  sales_about: 'about',
  sales_paid: '{count} paid',
  sales_nothing_before: 'nothing to compare with',
  sales_change_over: 'over {change}',
  sales_change_week: '{change} on last week',
  sales_change_month: '{change} on last month',
  sales_nothing_yesterday: 'nothing yesterday',
  sales_yesterday: 'yesterday {value}, {count} paid',

  plot_label: 'Amount received per day over the last {count} days, highest {amount}',
  plot_table: 'Show as a table',
  plot_day_title: '{day}: {amount}, {count} paid',
  plot_day: 'Day (UTC)',
  plot_paid: 'Invoices paid',

  attention: 'Needs your attention',
  attention_show_all: 'Show them',
  attention_show_newest: 'Show the newest',

  overpaid: 'Overpaid',
  overpaid_text: 'The buyer has paid {amount} too much, which you owe.',
  overpaid_wait: 'Wait until the invoice is paid and the payments below are confirmed.',
  overpaid_refund: 'zatgate cannot spend: a refund asks the buyer for an address, and your wallet pays it.',
  overpaid_amount: '{amount} too much',
  overpaid_many: { one: '{count} paid invoice was overpaid', other: '{count} paid invoices were overpaid' },
  overpaid_advice: 'in the last 30 days. You owe the buyers the difference.',
  overpaid_view: 'View overpaid',

  late_part: 'The full amount has not arrived. If the buyer does not pay the rest, send back the part that arrived.',
  late_counts: 'It counts. Deliver the order, or agree with the buyer to send the money back.',
  late: 'Late payment',
  late_after_expiry: 'A payment arrived at {time}, after the invoice had expired.',
  late_after_cancellation: 'A payment arrived at {time}, after the invoice had been canceled.',
  late_many: { one: '{count} invoice received money late', other: '{count} invoices received money late' },
  late_advice: 'after closing, in the last 30 days. It counts: deliver the order, or send the money back.',
  late_view: 'View late',

  reorged: 'Payments are missing',
  reorged_text: 'Payments of this invoice are missing: {cause}.',
  reorged_since: 'Payments of this invoice are missing since {time}: {cause}.',
  reorged_amount: '{amount} of {whole} is missing. The invoice stays *paid*.',
  reorged_hold: 'Hold the goods if you still can.',
  reorged_pay_again: 'ask the buyer to pay {amount} again: by [a new invoice](link)',
  reorged_pay_again_watched:
    'ask the buyer to pay {amount} again: by [a new invoice](link), or to this invoice’s address, where it counts until {time}',
  reorged_gone: 'They can no longer be mined: {advice}.',
  reorged_usually:
    'Usually they are mined again within a few blocks. A block is mined about every {spacing} seconds. This notice then disappears.',
  reorged_no_expiry: 'Their transactions never expire. If it takes too long, {advice}.',
  reorged_until: 'They can be mined up to block {height}, {time} from now. If they are not mined by then, {advice}.',
  reorged_many: {
    one: 'Payments of {count} paid invoice are missing:',
    other: 'Payments of {count} paid invoices are missing:',
  },
  reorged_many_advice:
    '{cause}. Hold the goods if you still can. Usually the payments are mined again within minutes; if not, the invoice’s page says what to do.',
  reorged_view: 'View missing',

  chain_stalled: {
    one: 'The chain source has reported no new block for {count} minute; blocks are mined about every {spacing} seconds. No invoice expires, and no payment is confirmed, until a new block arrives.',
    other:
      'The chain source has reported no new block for {count} minutes; blocks are mined about every {spacing} seconds. No invoice expires, and no payment is confirmed, until a new block arrives.',
  },
  chain_clock:
    'The clock of this service and the newest blocks are hours apart. No invoice expires and no plan ends until they agree.',
  chain_mempool:
    'The chain source does not provide unconfirmed transactions. Payments appear only once they are mined, and no invoice expires until it provides them again.',
  chain_upgrade:
    'The chain source does not support the network upgrade {upgrade}. Payments made since the upgrade are not detected, and no invoice expires, until the operator of this service updates or replaces it.',
  chain_behind: {
    one: 'The chain source is {count} block behind its node. Payments appear late, and no invoice expires until it has caught up.',
    other:
      'The chain source is {count} blocks behind its node. Payments appear late, and no invoice expires until it has caught up.',
  },
  chain_disagree:
    'The chain servers disagree about block {height}. No payment in that block or later is confirmed until they agree.',

  chain_unseen_merchant: 'We can’t see the Zcash network right now. Payments still count, and will appear once we can.',

  set_aside_later: 'We try again automatically, and the operator of this service sees it.',
  set_aside_scan_key:
    'A viewing key of your account cannot be read at the moment, so payments to its invoices are not seen. None of these invoices expires meanwhile, and no payment is lost: the missed blocks are read afterwards.',
  set_aside_invoice: {
    one: 'The state of {count} invoice cannot be updated at the moment. Payments to it are recorded and count later.',
    other:
      'The state of {count} invoices cannot be updated at the moment. Payments to them are recorded and count later.',
  },
  set_aside_webhook:
    'Your webhook is not called, because its signing secret cannot be read. Deliveries wait. [Rotate the secret](link), and they are sent.',
  set_aside_endpoint: {
    one: '{count} endpoint cannot be sent events at the moment. The events are kept.',
    other: '{count} endpoints cannot be sent events at the moment. The events are kept.',
  },
  set_aside_delivery: {
    one: '{count} webhook delivery cannot be processed at the moment.',
    other: '{count} webhook deliveries cannot be processed at the moment.',
  },
  set_aside_mail: {
    one: '{count} mail to you cannot be sent at the moment.',
    other: '{count} mails to you cannot be sent at the moment.',
  },
  set_aside_plan: 'The end of your plan cannot be processed at the moment.',
  set_aside_plan_reminder: 'The reminder about the end of your plan cannot be sent at the moment.',
  set_aside_swap: {
    one: 'The status of {count} swap cannot be updated at the moment.',
    other: 'The status of {count} swaps cannot be updated at the moment.',
  },
  set_aside_deletion: 'The deletion of this account cannot go on at the moment.',
  set_aside_since: 'Since {time}.',

  underpaid_many: {
    one: '{count} invoice closed with too little paid.',
    other: '{count} invoices closed with too little paid.',
  },
  underpaid_advice: 'Ask the buyer for the rest, which still counts, or send back the part that arrived.',
  underpaid_view: 'View underpaid',
  swap_stuck: 'The swap for invoice {invoice}',
  swap_stuck_advice:
    'has had the status {status} for an hour, but no payment has arrived. Ask the swap provider, with the deposit address.',
  view_invoice: 'View invoice',
  swaps_failed: {
    one: '{count} swap failed, and the provider has the deposit:',
    other: '{count} swaps failed, and the provider has the deposits:',
  },
  swaps_failed_advice:
    '{invoices}. The buyer has paid and you got nothing. Ask the swap provider, with the deposit address.',
  webhook_events_failed: {
    one: '{count} webhook event could not be delivered.',
    other: '{count} webhook events could not be delivered.',
  },
  webhook_events_view: 'View and resend',
  endpoint_is_paused_item: 'The endpoint {host} is paused',
  endpoint_is_paused_advice: 'since {time}, after three days of failures. Its events are kept.',
  endpoint_events_failed: {
    one: '{count} event could not be delivered to the endpoint {host}.',
    other: '{count} events could not be delivered to the endpoint {host}.',
  },
  endpoint_events_advice: 'When it responds again, send them again.',
  endpoint_events_view: 'and send again to {host}',
  plan_used_up: 'You have used all {limit} invoices of the {plan} plan for this month.',
  plan_used_up_advice: 'You cannot create more until {time}.',
  plans_view: 'View plans',
  plan_near: 'You have used {used} of the {limit} invoices of the {plan} plan for this month.',
  plan_near_advice: 'It resets {time}.',
  key_ends_soon: 'The API key “{name}” ends soon',
  key_ends_soon_advice: 'at {time}. Create another one in time, and give it to the program that uses it.',
  keys_view: 'View keys',
  not_notified: 'Your server is not notified of payments yet.',
  not_notified_advice: 'With a webhook it is notified of each one.',
  webhook_set: 'Set a webhook',

  backup_missing: 'The database has no backup of the last two days.',
  backup_missing_advice:
    'A lost disk would lose your invoices. Make a backup every day with zatgate backup, in the folder backups beside the database.',
} as const satisfies Messages
