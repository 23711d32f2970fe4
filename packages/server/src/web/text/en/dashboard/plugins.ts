import type { Messages } from '../../message.ts'

/** The page on which a shop plugin asks for a key, and what its settings ask for. */
export const plugins = {
  plugin_connect: 'Connect your shop?',
  plugin_cannot_connect: 'This plugin cannot be connected',
  plugin_lead:
    'A shop plugin asks for an API key of your store. Allow it only if you have just started this in your shop.',
  plugin_app: 'Plugin',
  plugin_app_claim: 'This is the name that it gives itself. We have not checked it.',
  plugin_receiver: 'The key goes to',
  plugin_shown_to_you: 'you: this page shows it, to copy into the plugin',
  plugin_store: 'Your store',
  plugin_may: 'The plugin may',
  plugin_no_money:
    'No key moves money: refunds are orders that your own wallet pays. You can revoke the key at any time.',
  plugin_no_viewing_key:
    'Your store has no viewing key yet, so it cannot create invoices. [Set it](link) before you sell.',
  plugin_allow: 'Allow',
  plugin_deny: 'Deny',
  plugin_to_dashboard: 'To the dashboard',
  plugin_unnamed: 'Shop plugin',
  plugin_left_out: 'The plugin also asks for this, which it does not get, since it has no meaning here:',
  plugin_not_here: 'Not available here:',

  plugin_too_long: 'The address of this page is too long, or has too many parts. Start again in your shop.',
  plugin_no_permissions: 'The plugin asks for no permission that means something here.',
  plugin_unsupported_permissions:
    'The plugin insists on permissions that this service does not have, so it would not work. Nothing was created.',
  plugin_bad_receiver:
    'The address to which the key should go is not accepted. It must begin with https://, or with http:// if your shop runs on this machine, and have no user name in it.',

  plugin_allowed: 'Plugin allowed',
  plugin_sending: 'Your shop at *{host}* gets the key now.',
  plugin_continue: 'Continue to {host}',

  plugins: 'Shop plugins',
  plugins_about:
    "Plugins for BTCPay Server, such as that of WooCommerce, work with this service by its Greenfield API. Enter this address in the plugin: it then opens a page here, on which you allow it. Plugins without that step ask for the store ID and a key with BTCPay's permissions.",
  plugin_new_key: 'New key for a plugin',
  plugin_key_may: { one: 'Shop plugin with {count} permission', other: 'Shop plugin with {count} permissions' },
  plugin_settings_hint: 'Copy these into the settings of the plugin.',
  plugin_server: 'BTCPay Server URL',
  plugin_key: 'API key',
  plugin_store_id: 'Store ID',
} as const satisfies Messages
