import type { receipt as english } from '../en/receipt.ts'
import type { Translation } from '../message.ts'

export const receipt = {
  receipt: 'Recibo',
  receipt_of: 'Recibo {number}',
  receipt_amount: 'Montante',
  receipt_paid: 'Pago',
  receipt_rate: 'Taxa de câmbio',
  receipt_received: 'Recebido',
  receipt_overpaid: 'Pago a mais',
  receipt_refunded: 'Reembolsado',
  receipt_invoice: 'Número da fatura',
  receipt_transaction: 'Transação',
  receipt_newest: 'Estas são as transações mais recentes.',
  receipt_print: 'Imprimir ou guardar como PDF',
  receipt_print_by_hand: 'Para imprimir esta página ou guardá-la como PDF, use o menu do seu navegador.',
  receipt_mail: 'Enviar por e-mail',
  receipt_address: 'O seu endereço de e-mail',
  receipt_address_hint: 'Usamo-lo apenas para este e-mail e depois esquecemo-lo.',
  receipt_address_wrong: 'Isto não é um endereço de e-mail. Introduza um como {example}.',
  receipt_mailed: 'O recibo chegará à sua caixa de correio dentro de alguns minutos.',
  receipt_mail_limit: 'Este recibo já foi enviado {count} vezes por e-mail, que é o limite. Ainda o pode imprimir.',
  receipt_mail_busy:
    'Foram enviados demasiados recibos desta loja na última hora. Tente de novo mais tarde. Pode imprimir este agora.',
  mail_line: '{label}: {value}',
  mail_page: 'O recibo para imprimir: {link}',
  mail_why: 'Alguém introduziu o seu endereço na página deste recibo. Se não foi você, pode ignorar este e-mail.',
} as const satisfies Translation<typeof english>
