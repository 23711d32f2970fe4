import type { link as english } from '../en/link.ts'
import type { Translation } from '../message.ts'

export const link = {
  link_pay: 'Pagar',
  link_amount: 'Importe en {currency}',
  link_own_amount: 'O tu propio importe en {currency}',
  link_choose: 'Elige un importe',
  link_least: 'Como mínimo {amount}.',
  link_rate: 'Pagas en Zcash. El importe en ZEC queda fijado al continuar.',
  link_zcash: 'Pagas en Zcash.',
  link_optional: '{label} (opcional)',
  link_amount_wrong: 'Introduce un importe, por ejemplo {example}.',
  link_fill_in: 'Rellena este campo.',
  link_paused: 'Ahora no se aceptan pagos',
  link_paused_text: 'La tienda ha pausado esta página. Inténtalo más tarde.',
  link_ended: 'Esta oferta ha terminado',
  link_ended_text: 'Si tienes alguna pregunta sobre ella, pregunta a la tienda.',
  link_sold_out: 'Agotado',
  link_sold_out_text: 'Todo está vendido o reservado para compradores que están pagando ahora.',
  link_busy: 'Esta tienda recibe muchas solicitudes en este momento. Inténtalo de nuevo en unos minutos.',
  link_unavailable: 'La tienda no puede aceptar este pago ahora. Inténtalo más tarde o pregunta a la tienda.',
} as const satisfies Translation<typeof english>
