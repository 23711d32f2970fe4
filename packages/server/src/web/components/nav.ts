import { plain } from '../text/dashboard.ts'
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
export const DOCS: NavItem = { href: '/docs', label: plain('nav_docs') }

/** The pages of the dashboard. */
export const NAV: readonly NavGroup[] = [
  {
    label: null,
    items: [
      { href: '/overview', label: plain('overview') },
      { href: '/invoices', label: plain('invoices') },
      { href: '/links', label: plain('nav_links') },
      { href: '/withdrawals', label: plain('payouts') },
    ],
  },
  {
    label: plain('nav_developers'),
    items: [
      { href: '/api-keys', label: plain('nav_keys') },
      { href: '/webhook', label: plain('endpoints') },
      { href: '/events', label: plain('events') },
      DOCS,
    ],
  },
  {
    label: plain('nav_settings'),
    items: [
      { href: '/store', label: plain('store') },
      { href: '/viewing-key', label: plain('viewing_key') },
      { href: '/billing', label: plain('billing') },
      { href: '/sessions', label: plain('sessions') },
      { href: '/activity', label: plain('activity') },
      { href: '/export', label: plain('export') },
      { href: '/account', label: plain('account') },
    ],
  },
]
