import type { common as english } from '../en/common.ts'
import type { Translation } from '../message.ts'

export const common = {
  test_bar: '*PRUEBA.* No es dinero real. No pagues con un monedero real.',
  chain_unseen: 'Ahora mismo no vemos la red Zcash. Tu pago está a salvo y aparecerá en cuanto la veamos.',
  no_connection:
    'Sin conexión. Puede que esta página no esté al día. Se actualiza sola cuando vuelva la conexión, y un pago que ya has enviado está a salvo.',
  payment: 'Pago',
  copy: 'Copiar',
  copied: 'Copiado',
  not_copied: 'No copiado',
  copy_amount: 'Copiar el importe',
  copy_address: 'Copiar la dirección',
  copy_number: 'Copiar el número de factura',
  copy_txid: 'Copiar el ID de la transacción',
  order: 'Pedido {order}',
  invoice_number: 'Factura {number}',
  support: 'Ayuda de la tienda',
  language: 'Idioma',
  made_with: 'Pagos con zatgate',
  back_to: 'Volver a {shop}',
  returning_to: 'Volviendo a {shop} …',
  link_broken: 'Este enlace de pago no funciona',
  link_broken_text: 'Comprueba el enlace de tu pedido o pregunta a la tienda.',
  link_gone: 'Esta página ya no está disponible',
  link_gone_text: 'La factura se cerró hace tiempo. Si tienes alguna pregunta sobre ella, pregunta a la tienda.',
  too_many: 'Demasiadas solicitudes',
  too_many_text: 'Espera un minuto y vuelve a abrir esta página. Un pago que ya has enviado está a salvo.',
  went_wrong: 'Algo ha fallado',
  went_wrong_text: 'Vuelve a abrir esta página dentro de un minuto. Un pago que ya has enviado está a salvo.',
} as const satisfies Translation<typeof english>
