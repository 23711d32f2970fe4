import type { common as english } from '../en/common.ts'
import type { Translation } from '../message.ts'

export const common = {
  test_bar: '*테스트.* 실제 돈이 아닙니다. 실제 지갑으로 결제하지 마세요.',
  chain_unseen: '지금은 Zcash 네트워크를 볼 수 없습니다. 결제는 안전하며, 다시 볼 수 있게 되면 표시됩니다.',
  no_connection:
    '연결되어 있지 않습니다. 이 페이지는 최신이 아닐 수 있습니다. 연결이 돌아오면 자동으로 업데이트되며, 이미 보낸 결제는 안전합니다.',
  payment: '결제',
  copy: '복사',
  copied: '복사됨',
  not_copied: '복사하지 못함',
  copy_amount: '금액 복사',
  copy_address: '주소 복사',
  copy_number: '청구서 번호 복사',
  copy_txid: '거래 ID 복사',
  order: '주문 {order}',
  invoice_number: '청구서 {number}',
  support: '상점 도움말',
  language: '언어',
  made_with: 'zatgate 결제',
  back_to: '{shop}(으)로 돌아가기',
  returning_to: '{shop}(으)로 돌아가는 중…',
  link_broken: '이 결제 링크는 작동하지 않습니다',
  link_broken_text: '주문의 링크를 확인하거나 상점에 문의하세요.',
  link_gone: '이 페이지는 더 이상 볼 수 없습니다',
  link_gone_text: '이 청구서는 얼마 전에 종료되었습니다. 질문이 있으면 상점에 문의하세요.',
  too_many: '요청이 너무 많습니다',
  too_many_text: '1분 기다린 뒤 이 페이지를 다시 여세요. 이미 보낸 결제는 안전합니다.',
  went_wrong: '문제가 발생했습니다',
  went_wrong_text: '1분 뒤에 이 페이지를 다시 여세요. 이미 보낸 결제는 안전합니다.',
} as const satisfies Translation<typeof english>
