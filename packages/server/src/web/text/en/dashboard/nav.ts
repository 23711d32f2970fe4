import type { Messages } from '../../message.ts'

/** The menu. */
export const nav = {
  nav_links: 'Links',
  nav_docs: 'Docs',
  nav_developers: 'Developers',
  nav_keys: 'Keys',
  nav_settings: 'Settings',
} as const satisfies Messages
