import type { Html } from '../../html.ts'
import type { MessageName } from '../../text/catalog.ts'
import type { Text } from '../../text/text.ts'
import { copyButtonWith } from '../copyable.ts'

/** A button that copies a value. @param label what it copies, for screen readers */
export function copyIn(text: Text, value: string, label: Extract<MessageName, `copy_${string}`>): Html {
  return copyButtonWith(value, text.plain(label), text.plain('copy'))
}
