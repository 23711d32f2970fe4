import type { Messages } from '../../message.ts'

/** Payouts of ZEC in money. */
export const payouts = {
  payouts: 'Payouts',
  payouts_lead:
    'Exchange ZEC for money in your bank account. Your wallet pays a deposit address, and the operator of this service pays you out.',
  payouts_not_offered: 'The operator of this service does not offer payouts.',
  payouts_yours: 'Your payouts',
  payouts_none: 'No payouts yet.',
  payout_currency: 'Payout currency',
  payout_destination: 'Payout destination',
  payout_destination_hint:
    'Your bank account, or another destination agreed with the operator. It is stored encrypted.',
  payout_create: 'Create payout',
  payout_no_rate: 'The exchange rate is unavailable.',
  payout_rates: '1 ZEC is now {prices}.',
  payout_spread: 'A spread of {percent} % is deducted.',
  payout_name: 'Payout {id}',
  payout: 'Payout',
  deposit: 'Deposit',
  payout_you_get: 'You get',

  payout_for: 'for {amount}',
  payout_pay_before: 'Pay exactly {amount} from your wallet before {time}. The rate is fixed until then.',
  payout_detected: 'The deposit has been detected. It counts once the network confirms it, usually {time}.',
  payout_detected_in: 'The deposit has been detected. It counts once the network confirms it, usually in {time}.',
  payout_in_progress: 'The deposit is confirmed. The payout is in progress.',
  payout_complete: 'The payout is complete.',
  payout_canceled_text: 'You canceled this payout. Do not pay it.',
  payout_expired_text: 'No deposit arrived in time. Do not pay it. Create a new one instead.',
  payout_failed_text: 'The payout failed. Please contact the operator about your deposit.',
  payout_attention_text:
    'The deposit does not match the payout: too little, too much, too late, or removed by a reorganisation. The operator reviews it.',
  payout_cancel: 'Cancel payout',
  payout_cancel_question: 'Cancel this payout?',
  payout_cancel_effect: 'Its rate is given up, and the operator has to sort out a deposit that comes afterwards.',
  payout_sandbox: 'Sandbox: the demo wallet can make the deposit.',
  payout_sandbox_pay: 'Make the deposit',
  rate_for_one: '{rate} for 1 ZEC',
  payout_received: '{amount}, {value} at this rate',
  payout_reference: 'Reference',
  the_reference: 'the reference',

  payout_is_awaiting_deposit: 'Awaiting deposit',
  payout_is_detected: 'Deposit detected',
  payout_is_processing: 'Payout processing',
  payout_is_completed: 'Completed',
  payout_is_canceled: 'Canceled',
  payout_is_expired: 'Expired',
  payout_is_failed: 'Failed',
  payout_is_attention: 'Needs attention',
} as const satisfies Messages
