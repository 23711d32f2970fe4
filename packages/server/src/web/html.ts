import { showUnprintable } from '../domain/text.ts'

/** Text that is already HTML. All other values are escaped in a template. */
export class Html {
  readonly text: string

  constructor(text: string) {
    this.text = text
  }

  toString(): string {
    return this.text
  }
}

export type Child = Html | string | number | bigint | null | undefined | false | readonly Child[]

const ESCAPES: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
}

/**
 * Template tag for HTML. Values are escaped for text and for quoted attributes, so quote every attribute. Invisible
 * characters are shown as code points. Lists are joined; null, undefined and false render as nothing.
 */
export function html(strings: TemplateStringsArray, ...values: readonly Child[]): Html {
  return new Html(String.raw({ raw: strings }, ...values.map(render)))
}

/** A boolean attribute with a leading space, or nothing. */
export function booleanAttribute(name: string, on: boolean): Html {
  return new Html(on ? ` ${name}` : '')
}

function render(child: Child): string {
  if (child instanceof Html) return child.text
  if (child === null || child === undefined || child === false) return ''
  if (Array.isArray(child)) return child.map(render).join('')
  return escapeMarkup(showUnprintable(String(child)))
}

/** Text for an attribute that a form sends back: invisible characters stay as they are, so that the check refuses them. */
export function exactly(text: string): Html {
  return new Html(escapeMarkup(text))
}

function escapeMarkup(text: string): string {
  return text.replace(/[&<>"']/g, character => ESCAPES[character] as string)
}
