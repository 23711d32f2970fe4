import type { common as english } from '../en/common.ts'
import type { Translation } from '../message.ts'

export const common = {
  test_bar: '*TEST.* Gerçek para değil. Gerçek bir cüzdanla ödeme yapmayın.',
  chain_unseen: 'Şu anda Zcash ağını göremiyoruz. Ödemeniz güvende ve ağı gördüğümüzde görünecek.',
  no_connection:
    'Bağlantı yok. Bu sayfa güncel olmayabilir. Bağlantı gelince kendiliğinden güncellenir ve gönderdiğiniz ödeme güvendedir.',
  payment: 'Ödeme',
  copy: 'Kopyala',
  copied: 'Kopyalandı',
  not_copied: 'Kopyalanamadı',
  copy_amount: 'Tutarı kopyala',
  copy_address: 'Adresi kopyala',
  copy_number: 'Fatura numarasını kopyala',
  copy_txid: 'İşlem kimliğini kopyala',
  order: 'Sipariş {order}',
  invoice_number: 'Fatura {number}',
  support: 'Mağazadan yardım',
  language: 'Dil',
  made_with: 'Ödemeler zatgate ile',
  back_to: '{shop} sitesine dön',
  returning_to: '{shop} sitesine dönülüyor …',
  link_broken: 'Bu ödeme bağlantısı çalışmıyor',
  link_broken_text: 'Siparişinizdeki bağlantıyı kontrol edin veya mağazaya sorun.',
  link_gone: 'Bu sayfa artık yok',
  link_gone_text: 'Fatura bir süre önce kapandı. Sorunuz varsa mağazaya sorun.',
  too_many: 'Çok fazla istek',
  too_many_text: 'Bir dakika bekleyip bu sayfayı yeniden açın. Gönderdiğiniz ödeme güvendedir.',
  went_wrong: 'Bir şeyler ters gitti',
  went_wrong_text: 'Bir dakika sonra bu sayfayı yeniden açın. Gönderdiğiniz ödeme güvendedir.',
} as const satisfies Translation<typeof english>
