import type { button as english } from '../en/button.ts'
import type { Translation } from '../message.ts'

export const button = {
  modal_close: 'Kapat',
  modal_loading: 'Yükleniyor …',
  modal_open_page: 'Ödeme sayfasını aç',
} as const satisfies Translation<typeof english>
