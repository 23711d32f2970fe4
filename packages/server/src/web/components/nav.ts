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
      { href: '/links', label: 'Links' },
      { href: '/withdrawals', label: 'Payouts' },
    ],
  },
  {
    label: 'Developers',
    items: [
      { href: '/api-keys', label: 'Keys' },
      { href: '/webhook', label: 'Endpoints' },
      { href: '/events', label: 'Events' },
      DOCS,
    ],
  },
  {
    label: 'Settings',
    items: [
      { href: '/store', label: 'Store' },
      { href: '/viewing-key', label: 'Viewing key' },
      { href: '/billing', label: 'Billing' },
      { href: '/sessions', label: 'Sessions' },
      { href: '/activity', label: 'Activity' },
      { href: '/export', label: 'Export' },
      { href: '/account', label: 'Account' },
    ],
  },
]
