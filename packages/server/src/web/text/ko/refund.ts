import type { refund as english } from '../en/refund.ts'
import type { Translation } from '../message.ts'

export const refund = {
  refund_sent: '환불을 보냈습니다',
  refund_canceled: '환불이 취소되었습니다',
  refund_on_its_way: '환불이 진행 중입니다',
  refund_yours: '환불',
  refund_ask: '상점이 이 금액을 돌려드립니다. 어디로 보낼까요?',
  refund_may_change: '상점이 이 주소로 보냅니다. 아직 변경할 수 있습니다.',
  refund_from_wallet: '상점이 자신의 지갑에서 보냅니다.',
  refund_fixed: '상점이 자신의 지갑에서 보냅니다. 상점이 이 주소를 확인했으므로 더 이상 변경할 수 없습니다.',
  refund_sent_text: '상점이 보냈습니다. 몇 분 안에 지갑에 도착하며 네트워크가 승인하면 유효합니다.',
  refund_canceled_text: '상점이 이 환불을 보내지 않습니다. 환불을 기다리고 있다면 상점에 문의하세요.',
  refund_transaction: '거래',
  refund_address: 'Zcash 지갑 주소',
  refund_address_hint:
    '차폐된(shielded) 주소이며 {prefix}(으)로 시작합니다. 지갑에서 복사하세요. 잘못된 주소로 보낸 결제는 잃게 됩니다.',
  refund_address_wrong: '상점이 이 주소로 결제할 수 없습니다. {prefix}(으)로 시작하는 차폐된 주소를 복사하세요.',
  refund_send_here: '여기로 보내기',
  refund_change: '주소 변경',
} as const satisfies Translation<typeof english>
