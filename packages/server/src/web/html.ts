/** Text that is HTML already. Everything else is escaped when it enters a template. */
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
 * A piece of a page. Values are escaped for text and for quoted attributes, so quote every attribute; lists are joined;
 * null, undefined and false leave nothing.
 */
export function html(strings: TemplateStringsArray, ...values: readonly Child[]): Html {
  return new Html(String.raw({ raw: strings }, ...values.map(render)))
}

/** A boolean attribute, with the blank before it. */
export function flag(name: string, on: boolean): Html {
  return new Html(on ? ` ${name}` : '')
}

function render(child: Child): string {
  if (child instanceof Html) return child.text
  if (child === null || child === undefined || child === false) return ''
  if (Array.isArray(child)) return child.map(render).join('')
  return String(child).replace(/[&<>"']/g, character => ESCAPES[character] as string)
}
