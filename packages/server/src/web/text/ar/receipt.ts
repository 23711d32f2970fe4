import type { receipt as english } from '../en/receipt.ts'
import type { Translation } from '../message.ts'

export const receipt = {
  receipt: 'الإيصال',
  receipt_of: 'الإيصال {number}',
  receipt_amount: 'المبلغ',
  receipt_paid: 'تاريخ الدفع',
  receipt_rate: 'سعر الصرف',
  receipt_received: 'المبلغ المستلم',
  receipt_overpaid: 'المدفوع زيادة',
  receipt_refunded: 'المبلغ المسترد',
  receipt_invoice: 'رقم الفاتورة',
  receipt_transaction: 'المعاملة',
  receipt_newest: 'هذه أحدث المعاملات.',
  receipt_print: 'طباعة أو حفظ بصيغة PDF',
  receipt_print_by_hand: 'لطباعة هذه الصفحة أو حفظها بصيغة PDF، استخدم قائمة المتصفح.',
  receipt_mail: 'إرسال بالبريد الإلكتروني',
  receipt_address: 'بريدك الإلكتروني',
  receipt_address_hint: 'نستخدمه لهذه الرسالة وحدها، ثم لا نحتفظ به.',
  receipt_address_wrong: 'هذا ليس عنوان بريد إلكتروني. أدخل عنواناً مثل {example}.',
  receipt_mailed: 'سيصل الإيصال إلى بريدك خلال بضع دقائق.',
  receipt_mail_limit: 'أُرسل هذا الإيصال بالبريد {count} مرات، وهذا هو الحد الأقصى. لا يزال بإمكانك طباعته.',
  receipt_mail_busy:
    'أُرسلت إيصالات كثيرة جداً لهذا المتجر خلال الساعة الماضية. حاول مرة أخرى لاحقاً. يمكنك طباعة هذا الإيصال الآن.',
  mail_line: '{label}: {value}',
  mail_page: 'الإيصال للطباعة: {link}',
  mail_why: 'أدخل شخص ما عنوانك في صفحة هذا الإيصال. إن لم تكن أنت، فيمكنك تجاهل هذه الرسالة.',
} as const satisfies Translation<typeof english>
