import type { link as english } from '../en/link.ts'
import type { Translation } from '../message.ts'

export const link = {
  link_pay: 'ادفع',
  link_amount: 'المبلغ بعملة {currency}',
  link_own_amount: 'أو مبلغ من اختيارك بعملة {currency}',
  link_choose: 'اختر مبلغاً',
  link_least: 'على الأقل {amount}.',
  link_rate: 'تدفع بعملة Zcash. يُثبَّت المبلغ بعملة ZEC عند المتابعة.',
  link_zcash: 'تدفع بعملة Zcash.',
  link_optional: '{label} (اختياري)',
  link_amount_wrong: 'أدخل مبلغاً، مثل {example}.',
  link_fill_in: 'املأ هذا الحقل.',
  link_paused: 'لا تُقبل المدفوعات حالياً',
  link_paused_text: 'أوقف المتجر هذه الصفحة مؤقتاً. حاول مرة أخرى لاحقاً.',
  link_ended: 'انتهى هذا العرض',
  link_ended_text: 'إن كان لديك سؤال عنه فاسأل المتجر.',
  link_sold_out: 'نفدت الكمية',
  link_sold_out_text: 'كل شيء مباع، أو محجوز لمشترين يدفعون الآن.',
  link_busy: 'يتلقى هذا المتجر طلبات كثيرة الآن. حاول مرة أخرى بعد بضع دقائق.',
  link_unavailable: 'لا يستطيع المتجر قبول هذه الدفعة الآن. حاول مرة أخرى لاحقاً، أو اسأل المتجر.',
} as const satisfies Translation<typeof english>
