import type { common as english } from '../en/common.ts'
import type { Translation } from '../message.ts'

export const common = {
  test_bar: '*اختبار.* هذه ليست أموالاً حقيقية. لا تدفع من محفظة حقيقية.',
  chain_unseen: 'لا نستطيع رؤية شبكة Zcash حالياً. دفعتك آمنة وستظهر حالما نراها.',
  no_connection:
    'لا يوجد اتصال. قد لا تكون هذه الصفحة محدّثة. ستتحدّث من تلقاء نفسها عند عودة الاتصال، والدفعة التي أرسلتها آمنة.',
  payment: 'الدفع',
  copy: 'نسخ',
  copied: 'تم النسخ',
  not_copied: 'لم يتم النسخ',
  copy_amount: 'نسخ المبلغ',
  copy_address: 'نسخ العنوان',
  copy_number: 'نسخ رقم الفاتورة',
  copy_txid: 'نسخ معرّف المعاملة',
  order: 'الطلب {order}',
  invoice_number: 'الفاتورة {number}',
  support: 'مساعدة من المتجر',
  language: 'اللغة',
  made_with: 'المدفوعات عبر zatgate',
  back_to: 'العودة إلى {shop}',
  returning_to: 'جارٍ العودة إلى {shop} …',
  link_broken: 'رابط الدفع هذا لا يعمل',
  link_broken_text: 'تحقّق من الرابط في طلبك، أو اسأل المتجر.',
  link_gone: 'هذه الصفحة لم تعد متاحة',
  link_gone_text: 'أُغلقت الفاتورة منذ فترة. إن كان لديك سؤال عنها فاسأل المتجر.',
  too_many: 'طلبات كثيرة جداً',
  too_many_text: 'انتظر دقيقة ثم افتح هذه الصفحة من جديد. الدفعة التي أرسلتها آمنة.',
  went_wrong: 'حدث خطأ ما',
  went_wrong_text: 'افتح هذه الصفحة من جديد بعد دقيقة. الدفعة التي أرسلتها آمنة.',
} as const satisfies Translation<typeof english>
