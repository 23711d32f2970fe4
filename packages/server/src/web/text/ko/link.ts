import type { link as english } from '../en/link.ts'
import type { Translation } from '../message.ts'

export const link = {
  link_pay: '결제하기',
  link_amount: '금액({currency})',
  link_own_amount: '또는 직접 입력({currency})',
  link_choose: '금액을 선택하세요',
  link_least: '{amount} 이상 입력하세요.',
  link_rate: 'Zcash로 결제합니다. ZEC 금액은 계속하면 확정됩니다.',
  link_zcash: 'Zcash로 결제합니다.',
  link_optional: '{label}(선택 사항)',
  link_amount_wrong: '{example}처럼 금액을 입력하세요.',
  link_fill_in: '이 항목을 입력하세요.',
  link_paused: '지금은 결제할 수 없습니다',
  link_paused_text: '상점이 이 페이지를 일시 중지했습니다. 나중에 다시 시도하세요.',
  link_ended: '판매가 종료되었습니다',
  link_ended_text: '질문이 있으면 상점에 문의하세요.',
  link_sold_out: '품절',
  link_sold_out_text: '모두 판매되었거나, 지금 결제 중인 구매자를 위해 확보되어 있습니다.',
  link_busy: '지금 이 상점에 요청이 많습니다. 몇 분 뒤에 다시 시도하세요.',
  link_unavailable: '상점이 지금 이 결제를 받을 수 없습니다. 나중에 다시 시도하거나 상점에 문의하세요.',
} as const satisfies Translation<typeof english>
