import type { receipt as english } from '../en/receipt.ts'
import type { Translation } from '../message.ts'

export const receipt = {
  receipt: '영수증',
  receipt_of: '영수증 {number}',
  receipt_amount: '금액',
  receipt_paid: '결제 시각',
  receipt_rate: '환율',
  receipt_received: '받은 금액',
  receipt_overpaid: '초과 결제 금액',
  receipt_refunded: '환불된 금액',
  receipt_invoice: '청구서 번호',
  receipt_transaction: '거래',
  receipt_newest: '최근 거래만 표시됩니다.',
  receipt_print: '인쇄 또는 PDF로 저장',
  receipt_print_by_hand: '이 페이지를 인쇄하거나 PDF로 저장하려면 브라우저 메뉴를 사용하세요.',
  receipt_mail: '이메일로 보내기',
  receipt_address: '이메일 주소',
  receipt_address_hint: '이 이메일을 보내는 데만 사용하고 이후에는 저장하지 않습니다.',
  receipt_address_wrong: '올바른 이메일 주소가 아닙니다. {example} 형식으로 입력하세요.',
  receipt_mailed: '몇 분 안에 영수증이 메일함에 도착합니다.',
  receipt_mail_limit: '이 영수증은 한도인 {count}번까지 이메일로 발송되었습니다. 인쇄는 계속할 수 있습니다.',
  receipt_mail_busy:
    '지난 한 시간 동안 이 상점의 영수증 이메일이 너무 많이 발송되었습니다. 나중에 다시 시도하세요. 지금 인쇄할 수는 있습니다.',
  mail_line: '{label}: {value}',
  mail_page: '인쇄용 영수증: {link}',
  mail_why: '누군가 이 영수증 페이지에 회원님의 주소를 입력했습니다. 본인이 아니라면 이 이메일을 무시하세요.',
} as const satisfies Translation<typeof english>
