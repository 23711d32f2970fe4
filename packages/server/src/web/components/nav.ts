export interface NavItem {
  readonly href: string
  readonly label: string
}

interface NavGroup {
  /** Null for the first group. */
  readonly label: string | null
  readonly items: readonly NavItem[]
}

/** The documentation, which has no menu of the dashboard: every reader may see it. */
export const DOCS: NavItem = { href: '/docs', label: 'Docs' }

/** The pages of the dashboard. */
export const NAV: readonly NavGroup[] = [
  {
    label: null,
    items: [
      { href: '/overview', label: 'Overview' },
      { href: '/invoices', label: 'Invoices' },
      { href: '/refunds', label: 'Refunds' },
    ],
  },
  {
    label: 'Integration',
    items: [
      { href: '/viewing-key', label: 'Viewing key' },
      { href: '/api-keys', label: 'API keys' },
      { href: '/webhook', label: 'Webhook' },
    ],
  },
  {
    label: 'Account',
    items: [
      { href: '/billing', label: 'Billing' },
      { href: '/withdrawals', label: 'Withdrawals' },
      { href: '/sessions', label: 'Sessions' },
      { href: '/activity', label: 'Activity' },
      { href: '/export', label: 'Export' },
      { href: '/account', label: 'Settings' },
    ],
  },
]
