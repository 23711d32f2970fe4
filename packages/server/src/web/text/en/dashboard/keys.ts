import type { Messages } from '../../message.ts'

/** The page of the API keys. */
export const keys = {
  keys: 'API keys',
  key_new: 'New API key “{name}”',
  key_new_hint: 'Store it like a password. It is shown only once; we keep only a hash.',
  keys_lead:
    'An API key lets your server create invoices, and nothing else unless you choose so. No key changes your account or moves money.',
  key_name: 'Key name',
  key_name_hint: 'A name that you will recognise, such as “shop”.',
  key_create: 'Create API key',
  keys_yours: 'Your API keys',
  keys_none: 'No API keys yet.',
  key_example: 'Example request',
  key_example_more: 'All requests, with a form to try each: the [API reference](link).',
  key_scopes: 'Choose what the key may do',
  key_may: 'The key may',
  key_may_plugin: "For shop plugins (BTCPay's permissions)",
  key_preset: '[Choose what most plugins ask for](link)',
  key_scopes_hint:
    'If none is chosen, the key only creates invoices, and cannot give them a webhook URL. The choice cannot be changed later.',
  key_last_day: 'Last day',
  key_last_day_hint: 'Optional, for a key with a choice above. It works to the end of this day, in UTC.',
  key_addresses: 'Addresses',
  key_addresses_hint:
    'Optional, for a key with a choice above. The addresses of your servers, such as 203.0.113.7 or 2001:db8::/48, separated by spaces. Requests from other addresses are refused.',
  key_revoked: 'revoked',
  key_revoke: 'Revoke',
  key_revoke_name: 'Revoke the API key {name}',
  key_revoke_question: 'Revoke the API key “{name}”?',
  key_revoke_effect: 'Programs that use it fail from now on. A revoked key never works again.',
  key_revoke_confirm: 'Revoke key',
  key_name_column: 'Name',
  key_ended: 'ended {time}',
  key_ends: 'ends {time}',
  key_from: 'from {addresses}',

  key_revoked_done: 'API key revoked. It no longer works.',
  key_scope_missing: 'choose also what the key may do',
  key_last_day_error: 'today or a later date',
} as const satisfies Messages
