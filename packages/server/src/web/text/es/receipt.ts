import type { receipt as english } from '../en/receipt.ts'
import type { Translation } from '../message.ts'

export const receipt = {
  receipt: 'Recibo',
  receipt_of: 'Recibo {number}',
  receipt_amount: 'Importe',
  receipt_paid: 'Pagado',
  receipt_rate: 'Tipo de cambio',
  receipt_received: 'Recibido',
  receipt_overpaid: 'Pagado de más',
  receipt_refunded: 'Reembolsado',
  receipt_invoice: 'Número de factura',
  receipt_transaction: 'Transacción',
  receipt_newest: 'Estas son las transacciones más recientes.',
  receipt_print: 'Imprimir o guardar como PDF',
  receipt_print_by_hand: 'Para imprimir esta página o guardarla como PDF, usa el menú de tu navegador.',
  receipt_mail: 'Enviarlo por correo',
  receipt_address: 'Tu correo electrónico',
  receipt_address_hint: 'Lo usamos solo para este correo y después lo olvidamos.',
  receipt_address_wrong: 'Esto no es una dirección de correo. Escribe una como {example}.',
  receipt_mailed: 'El recibo llegará a tu buzón en unos minutos.',
  receipt_mail_limit: 'Este recibo ya se ha enviado por correo {count} veces, que es el límite. Aún puedes imprimirlo.',
  receipt_mail_busy:
    'En la última hora se han enviado demasiados recibos de esta tienda. Inténtalo más tarde. Puedes imprimir este ahora.',
  mail_line: '{label}: {value}',
  mail_page: 'El recibo para imprimir: {link}',
  mail_why: 'Alguien escribió tu dirección en la página de este recibo. Si no fuiste tú, puedes ignorar este correo.',
} as const satisfies Translation<typeof english>
