import type { link as english } from '../en/link.ts'
import type { Translation } from '../message.ts'

export const link = {
  link_pay: 'Öde',
  link_amount: 'Tutar ({currency})',
  link_own_amount: 'Veya kendi tutarınız ({currency})',
  link_choose: 'Bir tutar seçin',
  link_least: 'En az {amount}.',
  link_rate: 'Zcash ile ödersiniz. ZEC tutarı, devam ettiğinizde sabitlenir.',
  link_zcash: 'Zcash ile ödersiniz.',
  link_optional: '{label} (isteğe bağlı)',
  link_amount_wrong: 'Bir tutar girin, örneğin {example}.',
  link_fill_in: 'Bu alanı doldurun.',
  link_paused: 'Şu anda ödeme alınmıyor',
  link_paused_text: 'Mağaza bu sayfayı duraklattı. Lütfen daha sonra yeniden deneyin.',
  link_ended: 'Bu teklif sona erdi',
  link_ended_text: 'Sorunuz varsa mağazaya sorun.',
  link_sold_out: 'Tükendi',
  link_sold_out_text: 'Hepsi satıldı veya şu anda ödeme yapan alıcılar için ayrıldı.',
  link_busy: 'Bu mağaza şu anda çok istek alıyor. Lütfen birkaç dakika sonra yeniden deneyin.',
  link_unavailable: 'Mağaza bu ödemeyi şu anda alamıyor. Lütfen daha sonra yeniden deneyin veya mağazaya sorun.',
} as const satisfies Translation<typeof english>
