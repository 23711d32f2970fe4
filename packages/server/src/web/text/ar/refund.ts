import type { refund as english } from '../en/refund.ts'
import type { Translation } from '../message.ts'

export const refund = {
  refund_sent: 'أُرسل المبلغ المسترد',
  refund_canceled: 'أُلغي الاسترداد',
  refund_on_its_way: 'المبلغ المسترد في الطريق',
  refund_yours: 'استرداد المبلغ',
  refund_ask: 'يعيد إليك المتجر هذا المبلغ. إلى أين يُرسله؟',
  refund_may_change: 'يرسله المتجر إلى هذا العنوان. لا يزال بإمكانك تغييره:',
  refund_from_wallet: 'يرسله المتجر من محفظته.',
  refund_fixed: 'يرسله المتجر من محفظته. لقد رأى هذا العنوان، ولا يمكن تغييره بعد الآن:',
  refund_sent_text: 'أرسله المتجر. يصل إلى محفظتك خلال دقائق، ويُحتسب حالما تؤكده الشبكة.',
  refund_canceled_text: 'لا يرسل المتجر هذا المبلغ. إن كنت تنتظر استرداداً فاسأل المتجر.',
  refund_transaction: 'المعاملة',
  refund_address: 'عنوان محفظة Zcash الخاصة بك',
  refund_address_hint: 'عنوان محمي (shielded). يبدأ بـ {prefix}. انسخه من محفظتك: الدفع إلى عنوان خاطئ يضيع.',
  refund_address_wrong: 'لا يستطيع المتجر الدفع إلى هذا العنوان. انسخ عنواناً محمياً يبدأ بـ {prefix}.',
  refund_send_here: 'أرسله إلى هنا',
  refund_change: 'غيّر العنوان',
} as const satisfies Translation<typeof english>
