import type { button as english } from '../en/button.ts'
import type { Translation } from '../message.ts'

export const button = {
  modal_close: '关闭',
  modal_loading: '正在加载…',
  modal_open_page: '打开付款页面',
} as const satisfies Translation<typeof english>
