import type { link as english } from '../en/link.ts'
import type { Translation } from '../message.ts'

export const link = {
  link_pay: 'Pagar',
  link_amount: 'Valor em {currency}',
  link_own_amount: 'Ou outro valor em {currency}',
  link_choose: 'Escolha um valor',
  link_least: 'No mínimo {amount}.',
  link_rate: 'O pagamento é feito em Zcash. O valor em ZEC fica fixado quando continuar.',
  link_zcash: 'O pagamento é feito em Zcash.',
  link_optional: '{label} (opcional)',
  link_amount_wrong: 'Introduza um valor, por exemplo {example}.',
  link_fill_in: 'Preencha este campo.',
  link_paused: 'Sem pagamentos de momento',
  link_paused_text: 'A loja suspendeu esta página. Tente de novo mais tarde.',
  link_ended: 'Esta oferta terminou',
  link_ended_text: 'Se tiver alguma dúvida sobre ela, pergunte à loja.',
  link_sold_out: 'Esgotado',
  link_sold_out_text: 'Está tudo vendido ou reservado para compradores que estão a pagar agora.',
  link_busy: 'Esta loja está a receber muitos pedidos neste momento. Tente de novo dentro de alguns minutos.',
  link_unavailable:
    'A loja não pode aceitar este pagamento neste momento. Tente de novo mais tarde ou pergunte à loja.',
} as const satisfies Translation<typeof english>
