import type { Messages } from '../../message.ts'

/** The store, the viewing key and the plan of an account. */
export const settings = {
  viewing_key: 'Viewing key',
  viewing_key_about: 'What a viewing key can do',
  viewing_key_sees:
    '*It sees* payments to your wallet’s addresses and their amounts. This is how we know that an invoice is paid.',
  viewing_key_cannot_spend: '*It cannot spend.* It cannot move any of your money. Payments go straight to your wallet.',
  viewing_key_stored:
    'We store only the part that sees incoming payments. It is encrypted and never shown again. An incoming viewing key ({incoming}) is enough; a full viewing key ({full}) works too.',
  viewing_key_newer:
    'Newer wallets may export {incoming} or {full}. Such a key can expire. Replace it in time, because an invoice cannot expire later than its key.',
  viewing_key_never:
    '*Never paste* a seed phrase or a spending key, here or anywhere else. Anyone who has it can take your money.',
  viewing_key_new: 'A new key applies to new invoices. Existing invoices stay watched under the old key.',
  viewing_key_change_title: 'Change the viewing key',
  viewing_key_set_title: 'Set the viewing key',
  viewing_key_is_set: 'A viewing key is set.',
  viewing_key_not_set: 'No viewing key is set yet.',
  viewing_key_export: 'Export the key from your wallet, often under “Export viewing key”.',
  viewing_key_label: 'Unified viewing key',
  viewing_key_demo: 'Sandbox: the viewing key of the demo wallet is filled in for you to try.',
  viewing_key_change: 'Change viewing key',
  viewing_key_set: 'Set viewing key',
  confirmations_required: 'Confirmations required',
  confirmations_required_hint:
    '{min} to {max} blocks, for new invoices. With 0, an invoice is paid as soon as its payment is detected. The default is {default}.',
  viewing_key_expires_on: 'It expires on {time}.',
  viewing_key_expires_after: 'It expires after block {height}.',
  block_spacing: 'A block is mined about every {spacing} seconds.',
  confirmations_take: {
    one: 'A block is mined about every {spacing} seconds, so {count} block takes {time}.',
    other: 'A block is mined about every {spacing} seconds, so {count} blocks take {time}.',
  },
  viewing_key_compare: 'Compare this address with your wallet',
  viewing_key_compare_hint:
    'This is the first address of the viewing key, for Orchard and Ironwood only. If your wallet’s first shielded address has the same length but is another one, the key belongs to another account of the wallet. If it is longer, it also has other receivers and cannot be compared: pay a small invoice instead, and check that your wallet receives it.',

  confirmations_saved: 'Saved. It applies to new invoices.',
  viewing_key_saved: 'Viewing key saved.',

  store: 'Store',
  shop: 'Shop',
  store_name: 'Name',
  store_name_hint: 'Buyers see it on top of each page.',
  store_website: 'Website',
  store_support: 'Help for buyers',
  store_support_hint: 'An email address, or the https address of a page.',
  store_look: 'Look',
  store_accent: 'Colour',
  store_accent_hint:
    'The colour of buttons and steps, such as #1b6a57. It is made darker or lighter where it could not be read.',
  store_language_hint: 'For buyers whose browser asks for none of our languages.',
  store_language_none: 'English (default)',
  store_currency_hint: 'The first choice in forms for new prices: EUR, USD and others, BTC, SATS or ZEC.',
  store_expiry_default: 'Default: {time}',
  store_after_payment_hint: 'Only for invoices with a success_url, and unless the request says otherwise.',
  store_after_payment_receipt: 'The checkout shows the receipt, with a link back',
  store_after_payment_return: 'The checkout opens the shop by itself',
  store_frames: 'Frames',
  store_frames_label: 'Sites that may show the checkout in a frame',
  store_frames_hint: 'One a line, such as https://shop.example, at most {max}. If it is empty, any site may.',
  store_logo: 'Logo',
  store_logo_alt: 'The logo of {shop}',
  the_shop: 'the shop',
  store_logo_image: 'Image',
  store_logo_another: 'Another image',
  store_logo_hint: 'PNG, JPEG or WebP, at most 1 MB. It is stored with at most 512 pixels a side.',
  store_logo_upload: 'Upload',
  store_logo_remove: 'Remove the logo',
  store_confirmations_hint: '{min} to {max} blocks until a payment counts. With 0 it counts as soon as it is seen.',
  tolerance_percent: 'Tolerance in percent',
  tolerance_percent_hint: 'The part of the amount that may be missing from a paid invoice, such as 0.5.',

  store_saved: 'Saved. Defaults apply to new invoices.',
  store_logo_saved: 'Logo saved.',
  store_logo_removed: 'Logo removed.',

  preview_phone_to_pay: 'Phone, to pay',
  preview_phone_paid: 'Phone, paid',
  preview_desktop_to_pay: 'Desktop, to pay',
  preview_desktop_paid: 'Desktop, paid',
  preview: 'Preview',
  preview_hint: 'It has the colours of your system. Buyers see those of theirs.',
} as const satisfies Messages
