import type { refund as english } from '../en/refund.ts'
import type { Translation } from '../message.ts'

export const refund = {
  refund_sent: 'Reembolso enviado',
  refund_canceled: 'Reembolso cancelado',
  refund_on_its_way: 'O seu reembolso está a caminho',
  refund_yours: 'O seu reembolso',
  refund_ask: 'A loja devolve-lhe este valor. Para onde deve ir?',
  refund_may_change: 'A loja envia-o para este endereço. Ainda o pode mudar:',
  refund_from_wallet: 'A loja envia-o da carteira dela.',
  refund_fixed: 'A loja envia-o da carteira dela. Já viu este endereço, que não pode ser mudado:',
  refund_sent_text: 'A loja enviou-o. Chega à sua carteira em poucos minutos e conta assim que a rede o confirmar.',
  refund_canceled_text: 'A loja não envia este reembolso. Se espera um, pergunte à loja.',
  refund_transaction: 'Transação',
  refund_address: 'Endereço da sua carteira Zcash',
  refund_address_hint:
    'Um endereço blindado (shielded). Começa por {prefix}. Copie-o da sua carteira: um pagamento para um endereço errado perde-se.',
  refund_address_wrong: 'A loja não pode pagar para este endereço. Copie um endereço blindado que comece por {prefix}.',
  refund_send_here: 'Enviar para aqui',
  refund_change: 'Mudar o endereço',
} as const satisfies Translation<typeof english>
