import { account } from './account.ts'
import { billing } from './billing.ts'
import { endpoints } from './endpoints.ts'
import { events } from './events.ts'
import { guides } from './guides.ts'
import { invoice } from './invoice.ts'
import { keys } from './keys.ts'
import { links } from './links.ts'
import { nav } from './nav.ts'
import { overview } from './overview.ts'
import { payouts } from './payouts.ts'
import { plugins } from './plugins.ts'
import { sales } from './sales.ts'
import { settings } from './settings.ts'
import { shared } from './shared.ts'

/** The texts of the dashboard. */
export const dashboard = {
  ...account,
  ...billing,
  ...endpoints,
  ...events,
  ...guides,
  ...invoice,
  ...keys,
  ...links,
  ...nav,
  ...overview,
  ...payouts,
  ...plugins,
  ...sales,
  ...settings,
  ...shared,
} as const
