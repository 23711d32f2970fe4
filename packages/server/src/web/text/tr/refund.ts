import type { refund as english } from '../en/refund.ts'
import type { Translation } from '../message.ts'

export const refund = {
  refund_sent: 'İade gönderildi',
  refund_canceled: 'İade iptal edildi',
  refund_on_its_way: 'İadeniz yolda',
  refund_yours: 'İadeniz',
  refund_ask: 'Mağaza bu tutarı size geri gönderiyor. Nereye gitsin?',
  refund_may_change: 'Mağaza bu adrese gönderiyor. Hâlâ değiştirebilirsiniz:',
  refund_from_wallet: 'Mağaza kendi cüzdanından gönderiyor.',
  refund_fixed: 'Mağaza kendi cüzdanından gönderiyor. Bu adresi gördü, artık değiştirilemez:',
  refund_sent_text: 'Mağaza gönderdi. Birkaç dakika içinde cüzdanınıza gelir ve ağ onaylayınca geçerli olur.',
  refund_canceled_text: 'Mağaza bu iadeyi göndermiyor. Bir iade bekliyorsanız mağazaya sorun.',
  refund_transaction: 'İşlem',
  refund_address: 'Zcash cüzdanınızın adresi',
  refund_address_hint:
    'Korumalı (shielded) bir adres. {prefix} ile başlar. Cüzdanınızdan kopyalayın: yanlış adrese yapılan ödeme kaybolur.',
  refund_address_wrong: 'Mağaza bu adrese ödeme yapamaz. {prefix} ile başlayan korumalı bir adres kopyalayın.',
  refund_send_here: 'Buraya gönder',
  refund_change: 'Adresi değiştir',
} as const satisfies Translation<typeof english>
