import type { checkout as english } from '../en/checkout.ts'
import type { Translation } from '../message.ts'

export const checkout = {
  title_pay: 'Pagar con Zcash',
  title_choose: 'Elige el importe',
  title_seen: 'Pago visto',
  title_paid: 'Pagado',
  title_rest: 'Pagar el resto',
  title_rest_awaited: 'A la espera del resto',
  title_time_up: 'Se acabó el tiempo',
  title_expired: 'Caducada',
  title_settled: 'No queda nada por pagar',
  title_canceled: 'Cancelada',
  title_underpaid: 'No pagada por completo',
  steps: 'Progreso',
  step_pay: 'Pagar',
  step_seen: 'Visto',
  step_confirmed: 'Confirmado',
  step_confirmed_of: '{confirmed} de {needed}',
  step_done: 'Listo',
  pay_by: 'Paga antes de {time}',
  time_left: 'quedan {time}',
  page_updates: 'Esta página se actualiza sola cuando llega el pago.',
  time_up_now:
    '*Se acabó el tiempo.* Si has pagado, deja esta página abierta: muestra tu pago en cuanto se ve. Si no has pagado, no pagues ahora.',
  time_up_part: '*Se acabó el tiempo.* Si has pagado, deja esta página abierta: muestra tu pago en cuanto se ve.',
  with_zcash: 'Zcash',
  with_other: 'BTC, USDC, …',
  ways_to_pay: 'Formas de pago',
  open_wallet: 'Abrir en tu monedero',
  show_qr: 'Mostrar el código QR',
  qr_request: 'Solicitud de pago como código QR',
  scan: 'Escanéalo con tu monedero Zcash',
  by_hand: 'O paga a mano',
  exact_amount: 'Importe exacto',
  address: 'A esta dirección',
  choose_amount: 'Introduce cualquier importe en tu monedero.',
  choose_at_least: 'Introduce cualquier importe en tu monedero, como mínimo *{amount}*.',
  no_wallet: '¿Aún no tienes monedero?',
  no_wallet_text:
    'Necesitas un monedero que pueda pagar Zcash blindado (shielded) y algo de ZEC en él. Los creadores de estos monederos documentan que abren una solicitud de pago como esta:',
  no_wallet_then:
    'Añade algo de ZEC al monedero. Después escanea el código de esta página, o abre la página en el mismo teléfono.',
  received_rest: 'Han llegado {received}. Quedan {rest} por pagar.',
  received_at_least: 'Han llegado {received}. Faltan al menos {rest}.',
  rest_of: 'el resto de {price}',
  seen: 'Hemos visto tu pago. *No tienes que hacer nada más.*',
  seen_late: 'Tu pago llegó cuando el tiempo ya había acabado. *Aun así cuenta. No pagues otra vez.*',
  seen_after_cancel:
    'Tu pago llegó después de que la tienda cancelara la factura. *Aun así cuenta. No pagues otra vez.*',
  confirms_in: 'La red suele confirmarlo en aproximadamente {time}.',
  confirms_at_once: 'Se confirma al instante.',
  may_close: 'Puedes cerrar esta página.',
  paid: 'Gracias. El pago está confirmado.',
  paid_late: 'Gracias. El pago llegó cuando el tiempo ya había acabado, y cuenta.',
  overpaid: 'Has pagado *{amount}* de más.',
  overpaid_ask: 'La tienda lo ve y te lo debe. Pídele que te lo devuelva.',
  reorged_title: 'Tu pago se está confirmando de nuevo',
  reorged:
    'La red Zcash ha sustituido sus bloques más recientes y tu pago todavía no está en ellos. Normalmente vuelve a estarlo en unos minutos. *No pagues otra vez.* La tienda lo sabe.',
  rest_counts:
    'Han llegado {received} de {whole}. Se acabó el tiempo, pero el resto aún cuenta hasta {time}. *No vuelvas a pagar el importe completo.*',
  rest_counts_open:
    'Han llegado {received} de un mínimo de {whole}. Se acabó el tiempo, pero el resto aún cuenta hasta {time}.',
  rest_awaited:
    'Han llegado {received} de {whole}, y el depósito de arriba aún puede pagar el resto. *No pagues otra vez ahora.* Esta página se actualiza cuando llegue.',
  rest_unwanted: 'Si ya no quieres pagar, pide a la tienda que te devuelva lo que ha llegado.',
  late: '*Si has pagado, no pagues otra vez.* Deja esta página abierta: muestra tu pago en cuanto se ve. Cuenta hasta {time}.',
  late_unpaid: 'Si no has pagado, no pagues esta factura. Pide a la tienda una nueva.',
  settled: 'La tienda ha marcado este pedido como pagado. *No pagues nada más.*',
  canceled: '*No pagues.* La tienda ha cancelado esta factura.',
  canceled_paid:
    'Si ya has pagado, no pagues otra vez. Esta página muestra tu pago en cuanto se ve. Cuenta hasta {time}.',
  canceled_part:
    'La tienda ha cancelado esta factura. Han llegado {received}. *No pagues el resto.* Pide a la tienda que te devuelva lo que ha llegado.',
  over: 'Esta factura ha caducado. *No la pagues.* Pide a la tienda una nueva.',
  over_part:
    'Solo {received} llegaron a tiempo. Los pagos a esta factura ya no cuentan: *no pagues el resto.* Pide a la tienda que te devuelva lo que llegó.',
} as const satisfies Translation<typeof english>
