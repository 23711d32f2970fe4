import type { common as english } from '../en/common.ts'
import type { Translation } from '../message.ts'

export const common = {
  test_bar: '*TEST.* Geen echt geld. Betaal niet met een echte wallet.',
  chain_unseen:
    'We zien het Zcash-netwerk op dit moment niet. Je betaling is veilig en verschijnt zodra we het weer zien.',
  no_connection:
    'Geen verbinding. Deze pagina is misschien niet actueel. Ze werkt zichzelf bij zodra de verbinding terug is, en een betaling die je hebt verstuurd is veilig.',
  payment: 'Betaling',
  copy: 'Kopiëren',
  copied: 'Gekopieerd',
  not_copied: 'Niet gekopieerd',
  copy_amount: 'Bedrag kopiëren',
  copy_address: 'Adres kopiëren',
  copy_number: 'Factuurnummer kopiëren',
  copy_txid: 'Transactie-ID kopiëren',
  order: 'Bestelling {order}',
  invoice_number: 'Factuur {number}',
  support: 'Hulp van de winkel',
  language: 'Taal',
  made_with: 'Betalingen met zatgate',
  back_to: 'Terug naar {shop}',
  returning_to: 'Terug naar {shop} …',
  link_broken: 'Deze betaallink werkt niet',
  link_broken_text: 'Controleer de link in je bestelling, of vraag het de winkel.',
  link_gone: 'Deze pagina is niet meer beschikbaar',
  link_gone_text: 'De factuur is een tijd geleden gesloten. Heb je er een vraag over, vraag het dan de winkel.',
  too_many: 'Te veel verzoeken',
  too_many_text: 'Wacht een minuut en open deze pagina opnieuw. Een betaling die je hebt verstuurd is veilig.',
  went_wrong: 'Er ging iets mis',
  went_wrong_text: 'Open deze pagina over een minuut opnieuw. Een betaling die je hebt verstuurd is veilig.',
} as const satisfies Translation<typeof english>
