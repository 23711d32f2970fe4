import type { receipt as english } from '../en/receipt.ts'
import type { Translation } from '../message.ts'

export const receipt = {
  receipt: 'Makbuz',
  receipt_of: 'Makbuz {number}',
  receipt_amount: 'Tutar',
  receipt_paid: 'Ödendi',
  receipt_rate: 'Döviz kuru',
  receipt_received: 'Alınan',
  receipt_overpaid: 'Fazla ödenen',
  receipt_refunded: 'İade edilen',
  receipt_invoice: 'Fatura numarası',
  receipt_transaction: 'İşlem',
  receipt_newest: 'Bunlar en yeni işlemlerdir.',
  receipt_print: 'Yazdır veya PDF olarak kaydet',
  receipt_print_by_hand: 'Bu sayfayı yazdırmak veya PDF olarak kaydetmek için tarayıcınızın menüsünü kullanın.',
  receipt_mail: 'E-postayla gönder',
  receipt_address: 'E-posta adresiniz',
  receipt_address_hint: 'Yalnızca bu e-posta için kullanılır, sonra saklanmaz.',
  receipt_address_wrong: 'Bu bir e-posta adresi değil. {example} gibi bir adres girin.',
  receipt_mailed: 'Makbuz birkaç dakika içinde posta kutunuzda olacak.',
  receipt_mail_limit: 'Bu makbuz e-postayla {count} kez gönderildi ve sınıra ulaşıldı. Yine de yazdırabilirsiniz.',
  receipt_mail_busy:
    'Son bir saatte bu mağazanın çok fazla makbuzu gönderildi. Lütfen daha sonra yeniden deneyin. Bunu şimdi yazdırabilirsiniz.',
  mail_line: '{label}: {value}',
  mail_page: 'Yazdırılacak makbuz: {link}',
  mail_why: 'Birisi bu makbuzun sayfasına adresinizi girdi. Siz değilseniz bu e-postayı yok sayabilirsiniz.',
} as const satisfies Translation<typeof english>
