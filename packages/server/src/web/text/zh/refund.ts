import type { refund as english } from '../en/refund.ts'
import type { Translation } from '../message.ts'

export const refund = {
  refund_sent: '退款已发送',
  refund_canceled: '退款已取消',
  refund_on_its_way: '您的退款正在处理',
  refund_yours: '您的退款',
  refund_ask: '商店将把这笔金额退还给您。应退到哪里？',
  refund_may_change: '商店将退到此地址。您仍可更改：',
  refund_from_wallet: '商店将从其钱包发送。',
  refund_fixed: '商店将从其钱包发送。商店已看到此地址，不能再更改：',
  refund_sent_text: '商店已发送。几分钟内会到达您的钱包，网络确认后生效。',
  refund_canceled_text: '商店不会发送这笔退款。如果您在等待退款，请询问商店。',
  refund_transaction: '交易',
  refund_address: '您的 Zcash 钱包地址',
  refund_address_hint: '屏蔽（shielded）地址，以 {prefix} 开头。请从您的钱包复制：付到错误地址的款项会丢失。',
  refund_address_wrong: '商店无法付款到此地址。请复制以 {prefix} 开头的屏蔽地址。',
  refund_send_here: '发送到这里',
  refund_change: '更改地址',
} as const satisfies Translation<typeof english>
