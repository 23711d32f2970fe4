import type { common as english } from '../en/common.ts'
import type { Translation } from '../message.ts'

export const common = {
  test_bar: '*TESTE.* Não é dinheiro real. Não pague com uma carteira real.',
  chain_unseen: 'Não vemos a rede Zcash neste momento. O seu pagamento está seguro e aparece assim que a virmos.',
  no_connection:
    'Sem ligação. Esta página pode estar desatualizada. Ela atualiza-se sozinha quando a ligação voltar, e um pagamento já enviado está seguro.',
  payment: 'Pagamento',
  copy: 'Copiar',
  copied: 'Copiado',
  not_copied: 'Não copiado',
  copy_amount: 'Copiar o valor',
  copy_address: 'Copiar o endereço',
  copy_number: 'Copiar o número da fatura',
  copy_txid: 'Copiar o ID da transação',
  order: 'Pedido {order}',
  invoice_number: 'Fatura {number}',
  support: 'Ajuda da loja',
  language: 'Idioma',
  made_with: 'Pagamentos com zatgate',
  back_to: 'Voltar para {shop}',
  returning_to: 'Voltando para {shop} …',
  link_broken: 'Este link de pagamento não funciona',
  link_broken_text: 'Verifique o link no seu pedido ou pergunte à loja.',
  link_gone: 'Esta página já não está disponível',
  link_gone_text: 'A fatura foi encerrada há algum tempo. Se tiver alguma dúvida sobre ela, pergunte à loja.',
  too_many: 'Demasiados pedidos',
  too_many_text: 'Espere um minuto e abra esta página de novo. Um pagamento já enviado está seguro.',
  went_wrong: 'Algo correu mal',
  went_wrong_text: 'Abra esta página de novo daqui a um minuto. Um pagamento já enviado está seguro.',
} as const satisfies Translation<typeof english>
