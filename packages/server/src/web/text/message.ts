/** Forms of a message by the number in `{count}`, in the categories of `Intl.PluralRules`. */
export type PluralMessage = Partial<Record<Intl.LDMLPluralRule, string>> & { readonly other: string }

/** A text for readers. `{name}` is replaced by a value, and `*text*` is strong. */
export type Message = string | PluralMessage

export type Messages = Readonly<Record<string, Message>>

/** The messages of an area in another language: the same names, with plural forms where English has them. */
export type Translation<M extends Messages> = {
  readonly [Name in keyof M]: M[Name] extends string ? string : PluralMessage
}
