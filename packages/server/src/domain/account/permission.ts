/** A right of a key for shop plugins, by its name in BTCPay. */
interface PermissionRow {
  /** For the owner, after "The plugin may". */
  readonly meaning: string
  /** The permissions that it includes. */
  readonly includes: readonly string[]
}

const CREATE_REFUNDS = ['btcpay.store.cancreatenonapprovedpullpayments'] as const
const INVOICES = ['btcpay.store.canviewinvoices', 'btcpay.store.cancreateinvoice'] as const
const VIEW_STORE = ['btcpay.store.canviewinvoices', 'btcpay.store.canviewpullpayments'] as const
const REFUNDS = [
  ...CREATE_REFUNDS,
  'btcpay.store.cancreatepullpayments',
  'btcpay.store.canviewpullpayments',
  'btcpay.store.canarchivepullpayments',
] as const

/** The permissions of BTCPay that mean something here. None of them moves money: the service cannot spend. */
export const PERMISSIONS = {
  'btcpay.store.canviewinvoices': { meaning: 'read invoices, with all that the shop gave', includes: [] },
  'btcpay.store.cancreateinvoice': { meaning: 'create invoices', includes: [] },
  'btcpay.store.canmodifyinvoices': {
    meaning: 'create and read invoices, mark them as paid or invalid, and change their metadata',
    includes: INVOICES,
  },
  'btcpay.store.canviewstoresettings': {
    meaning: "read the store's settings, its invoices and refunds",
    includes: VIEW_STORE,
  },
  'btcpay.store.webhooks.canmodifywebhooks': { meaning: 'add, change and remove its webhooks', includes: [] },
  'btcpay.store.canmodifystoresettings': {
    meaning: 'do all that the other permissions allow; it changes no setting of the store',
    includes: [
      'btcpay.store.canmodifyinvoices',
      'btcpay.store.canviewstoresettings',
      'btcpay.store.webhooks.canmodifywebhooks',
      'btcpay.store.canmanagepullpayments',
      ...INVOICES,
      ...REFUNDS,
    ],
  },
  'btcpay.store.cancreatenonapprovedpullpayments': {
    meaning: 'create refunds, which your own wallet pays',
    includes: [],
  },
  'btcpay.store.cancreatepullpayments': {
    meaning: 'create refunds, which your own wallet pays',
    includes: CREATE_REFUNDS,
  },
  'btcpay.store.canviewpullpayments': { meaning: 'read refunds', includes: [] },
  'btcpay.store.canarchivepullpayments': { meaning: 'cancel refunds', includes: [] },
  'btcpay.store.canmanagepullpayments': { meaning: 'create, read and cancel refunds', includes: REFUNDS },
} as const satisfies Readonly<Record<string, PermissionRow>>

export type Permission = keyof typeof PERMISSIONS

export const PERMISSION_NAMES = Object.keys(PERMISSIONS) as Permission[]

/** The permissions that most plugins ask for. */
export const COMMON_PERMISSIONS: readonly Permission[] = [
  ...INVOICES,
  'btcpay.store.canviewstoresettings',
  'btcpay.store.canmodifyinvoices',
  'btcpay.store.webhooks.canmodifywebhooks',
  ...CREATE_REFUNDS,
]

export function isPermission(text: string): text is Permission {
  return Object.hasOwn(PERMISSIONS, text)
}

/** Whether one of the held permissions is, or includes, the needed one. */
export function grants(held: readonly string[], needed: Permission): boolean {
  return held.some(name => {
    if (!isPermission(name)) return false
    const { includes }: PermissionRow = PERMISSIONS[name]
    return name === needed || includes.includes(needed)
  })
}
