import type { link as english } from '../en/link.ts'
import type { Translation } from '../message.ts'

export const link = {
  link_pay: 'Betalen',
  link_amount: 'Bedrag in {currency}',
  link_own_amount: 'Of een eigen bedrag in {currency}',
  link_choose: 'Kies een bedrag',
  link_least: 'Minstens {amount}.',
  link_rate: 'Je betaalt in Zcash. Het bedrag in ZEC staat vast zodra je verdergaat.',
  link_zcash: 'Je betaalt in Zcash.',
  link_optional: '{label} (optioneel)',
  link_amount_wrong: 'Voer een bedrag in, bijvoorbeeld {example}.',
  link_fill_in: 'Vul dit veld in.',
  link_paused: 'Op dit moment geen betalingen',
  link_paused_text: 'De winkel heeft deze pagina gepauzeerd. Probeer het later opnieuw.',
  link_ended: 'Dit aanbod is afgelopen',
  link_ended_text: 'Heb je er een vraag over, vraag het dan de winkel.',
  link_sold_out: 'Uitverkocht',
  link_sold_out_text: 'Alles is verkocht, of gereserveerd voor kopers die nu betalen.',
  link_busy: 'Deze winkel krijgt op dit moment veel verzoeken. Probeer het over een paar minuten opnieuw.',
  link_unavailable: 'De winkel kan deze betaling nu niet aannemen. Probeer het later opnieuw, of vraag het de winkel.',
} as const satisfies Translation<typeof english>
