import type { refund as english } from '../en/refund.ts'
import type { Translation } from '../message.ts'

export const refund = {
  refund_sent: '返金を送信しました',
  refund_canceled: '返金はキャンセルされました',
  refund_on_its_way: '返金の手続き中です',
  refund_yours: '返金',
  refund_ask: 'ショップがこの金額を返金します。送り先を教えてください。',
  refund_may_change: 'ショップはこのアドレスに送ります。まだ変更できます。',
  refund_from_wallet: 'ショップが自分のウォレットから送ります。',
  refund_fixed: 'ショップが自分のウォレットから送ります。このアドレスは確認済みのため、変更できません。',
  refund_sent_text: 'ショップが送信しました。数分でウォレットに届き、ネットワークが承認すると有効になります。',
  refund_canceled_text: 'ショップはこの返金を送りません。返金をお待ちの場合は、ショップにお問い合わせください。',
  refund_transaction: 'トランザクション',
  refund_address: 'Zcash ウォレットのアドレス',
  refund_address_hint:
    'シールド（shielded）アドレスです。{prefix} で始まります。ウォレットからコピーしてください。誤ったアドレスへの送金は失われます。',
  refund_address_wrong: 'ショップはこのアドレスに支払えません。{prefix} で始まるシールドアドレスをコピーしてください。',
  refund_send_here: 'ここに送る',
  refund_change: 'アドレスを変更',
} as const satisfies Translation<typeof english>
