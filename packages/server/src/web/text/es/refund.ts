import type { refund as english } from '../en/refund.ts'
import type { Translation } from '../message.ts'

export const refund = {
  refund_sent: 'Reembolso enviado',
  refund_canceled: 'Reembolso cancelado',
  refund_on_its_way: 'Tu reembolso está en camino',
  refund_yours: 'Tu reembolso',
  refund_ask: 'La tienda te devuelve este importe. ¿Adónde quieres que vaya?',
  refund_may_change: 'La tienda lo envía a esta dirección. Todavía puedes cambiarla:',
  refund_from_wallet: 'La tienda lo envía desde su monedero.',
  refund_fixed: 'La tienda lo envía desde su monedero. Ya ha visto esta dirección, que no se puede cambiar:',
  refund_sent_text: 'La tienda lo ha enviado. Llega a tu monedero en unos minutos y cuenta cuando la red lo confirma.',
  refund_canceled_text: 'La tienda no envía este reembolso. Si esperas uno, pregunta a la tienda.',
  refund_transaction: 'Transacción',
  refund_address: 'Dirección de tu monedero Zcash',
  refund_address_hint:
    'Una dirección blindada (shielded). Empieza por {prefix}. Cópiala de tu monedero: un pago a una dirección equivocada se pierde.',
  refund_address_wrong:
    'La tienda no puede pagar a esta dirección. Copia una dirección blindada que empiece por {prefix}.',
  refund_send_here: 'Enviar aquí',
  refund_change: 'Cambiar la dirección',
} as const satisfies Translation<typeof english>
