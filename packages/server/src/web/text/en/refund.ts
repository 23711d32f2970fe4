import type { Messages } from '../message.ts'

/** The page where a buyer says where a refund is sent. */
export const refund = {
  refund_sent: 'Refund sent',
  refund_canceled: 'Refund canceled',
  refund_on_its_way: 'Your refund is on its way',
  refund_yours: 'Your refund',
  refund_ask: 'The shop sends this amount back to you. Where should it go?',
  refund_may_change: 'The shop sends it to this address. You can still change it:',
  refund_from_wallet: 'The shop sends it from its wallet.',
  refund_fixed: 'The shop sends it from its wallet. It has seen this address, which can no longer be changed:',
  refund_sent_text:
    'The shop has sent it. It arrives in your wallet within minutes, and counts once the network confirms it.',
  refund_canceled_text: 'The shop does not send this refund. If you expect one, please ask the shop.',
  refund_transaction: 'Transaction',
  refund_address: 'Address of your Zcash wallet',
  refund_address_hint:
    'A shielded address. It begins with {prefix}. Copy it from your wallet: a payment to a wrong address is lost.',
  refund_address_wrong:
    'This is not an address that the shop can pay. Copy a shielded address that begins with {prefix}.',
  refund_send_here: 'Send it here',
  refund_change: 'Change the address',
} as const satisfies Messages
