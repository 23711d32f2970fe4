import type { receipt as english } from '../en/receipt.ts'
import type { Translation } from '../message.ts'

export const receipt = {
  receipt: 'Betaalbewijs',
  receipt_of: 'Betaalbewijs {number}',
  receipt_amount: 'Bedrag',
  receipt_paid: 'Betaald',
  receipt_rate: 'Wisselkoers',
  receipt_received: 'Ontvangen',
  receipt_overpaid: 'Te veel betaald',
  receipt_refunded: 'Terugbetaald',
  receipt_invoice: 'Factuurnummer',
  receipt_transaction: 'Transactie',
  receipt_newest: 'Dit zijn de nieuwste transacties.',
  receipt_print: 'Afdrukken of opslaan als pdf',
  receipt_print_by_hand: 'Gebruik het menu van je browser om deze pagina af te drukken of als pdf op te slaan.',
  receipt_mail: 'Per e-mail sturen',
  receipt_address: 'Je e-mailadres',
  receipt_address_hint: 'We gebruiken het alleen voor deze ene e-mail en vergeten het daarna.',
  receipt_address_wrong: 'Dit is geen e-mailadres. Vul er een in zoals {example}.',
  receipt_mailed: 'Het betaalbewijs komt binnen een paar minuten in je mailbox.',
  receipt_mail_limit:
    'Dit betaalbewijs is al {count} keer gemaild, en dat is de limiet. Je kunt het nog wel afdrukken.',
  receipt_mail_busy:
    'Er zijn het afgelopen uur te veel betaalbewijzen van deze winkel gemaild. Probeer het later opnieuw. Afdrukken kan nu al.',
  mail_line: '{label}: {value}',
  mail_page: 'Het betaalbewijs om af te drukken: {link}',
  mail_why:
    'Iemand heeft je adres ingevuld op de pagina van dit betaalbewijs. Was jij dat niet, dan kun je deze e-mail negeren.',
} as const satisfies Translation<typeof english>
