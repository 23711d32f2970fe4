import type { Permission } from '../../src/domain/account/permission.ts'

/** The queries with which plugins open the page on which they ask for a key, as they were sent. */
export const CONSENTS = {
  woocommerce:
    'permissions=btcpay.store.canviewinvoices&permissions=btcpay.store.cancreateinvoice&permissions=btcpay.store.canviewstoresettings&permissions=btcpay.store.canmodifyinvoices&permissions=btcpay.store.cancreatenonapprovedpullpayments&permissions=btcpay.store.webhooks.canmodifywebhooks&applicationName=WooCommerce&strict=true&selectiveStores=true&redirect=https%3A%2F%2Fshop.example%2F%3Fbtcpay-settings-callback',
  magento:
    'permissions=btcpay.store.canviewinvoices&permissions=btcpay.store.cancreateinvoice&permissions=btcpay.store.webhooks.canmodifywebhooks&permissions=btcpay.store.canviewstoresettings&permissions=btcpay.store.canmodifyinvoices&applicationName=Magento+2+%40+shop.example&strict=true&selectiveStores=true&redirect=https%3A%2F%2Fshop.example%2Fbtcpay%2Fapikey%2Fsave%3Fsecret%3Da%2Bb%252F%26store%3D0&applicationIdentifier=magento2',
  prestashop:
    'permissions=btcpay.store.canmodifystoresettings&permissions=btcpay.store.webhooks.canmodifywebhooks&permissions=btcpay.store.canviewstoresettings&permissions=btcpay.store.cancreateinvoice&permissions=btcpay.store.canviewinvoices&permissions=btcpay.store.canmodifyinvoices&applicationName=Presta+shop&strict=true&selectiveStores=true&redirect=https%3A%2F%2Fshop.example%2Fadmin%2Fvalidate&applicationIdentifier=Presta+shop',
} as const

/** The permissions that a plugin asks for, in its order. */
export function askedPermissions(plugin: keyof typeof CONSENTS): Permission[] {
  return new URLSearchParams(CONSENTS[plugin]).getAll('permissions') as Permission[]
}
