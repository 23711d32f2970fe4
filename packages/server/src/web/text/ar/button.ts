import type { button as english } from '../en/button.ts'
import type { Translation } from '../message.ts'

export const button = {
  modal_close: 'إغلاق',
  modal_loading: 'جارٍ التحميل …',
  modal_open_page: 'افتح صفحة الدفع',
} as const satisfies Translation<typeof english>
