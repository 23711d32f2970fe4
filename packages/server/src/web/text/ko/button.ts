import type { button as english } from '../en/button.ts'
import type { Translation } from '../message.ts'

export const button = {
  modal_close: '닫기',
  modal_loading: '불러오는 중…',
  modal_open_page: '결제 페이지 열기',
} as const satisfies Translation<typeof english>
