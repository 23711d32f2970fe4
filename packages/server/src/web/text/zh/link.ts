import type { link as english } from '../en/link.ts'
import type { Translation } from '../message.ts'

export const link = {
  link_pay: '付款',
  link_amount: '金额（{currency}）',
  link_own_amount: '或自定金额（{currency}）',
  link_choose: '选择金额',
  link_least: '至少 {amount}。',
  link_rate: '您将使用 Zcash 付款。继续后，ZEC 金额即固定。',
  link_zcash: '您将使用 Zcash 付款。',
  link_optional: '{label}（选填）',
  link_amount_wrong: '请输入金额，例如 {example}。',
  link_fill_in: '请填写此项。',
  link_paused: '目前不接受付款',
  link_paused_text: '商店已暂停此页面。请稍后再试。',
  link_ended: '此优惠已结束',
  link_ended_text: '如有疑问，请询问商店。',
  link_sold_out: '已售罄',
  link_sold_out_text: '全部已售出，或已为正在付款的买家保留。',
  link_busy: '此商店目前请求较多。请几分钟后再试。',
  link_unavailable: '商店目前无法接受这笔付款。请稍后再试，或询问商店。',
} as const satisfies Translation<typeof english>
