import type { Html } from '../html.ts'
import { dashboard } from './en/dashboard/index.ts'
import type { ValueName } from './message.ts'
import { Text, type Values } from './text.ts'

/** The name of a text of the dashboard, which is in English only. */
export type DashboardMessage = keyof typeof dashboard

/** Exactly the values that a message needs. */
type Needed<Name extends DashboardMessage> = [ValueName<(typeof dashboard)[Name]>] extends [never]
  ? []
  : [Readonly<Record<ValueName<(typeof dashboard)[Name]>, Values[string]>>]

const english = new Text<DashboardMessage>('en', dashboard)

/** A text of the dashboard as HTML: see `Text.say`. */
export function say<Name extends DashboardMessage>(name: Name, ...[values]: Needed<Name>): Html {
  return english.say(name, values)
}

/** A text of the dashboard as plain text, for titles, attributes, options and mails. */
export function plain<Name extends DashboardMessage>(name: Name, ...[values]: Needed<Name>): string {
  return english.plain(name, values)
}
