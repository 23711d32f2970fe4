import type { button as english } from '../en/button.ts'
import type { Translation } from '../message.ts'

export const button = {
  modal_close: '閉じる',
  modal_loading: '読み込み中…',
  modal_open_page: '支払いページを開く',
} as const satisfies Translation<typeof english>
