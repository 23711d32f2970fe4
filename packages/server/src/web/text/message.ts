/** Forms of a message by the number in `{count}`, in the categories of `Intl.PluralRules`. */
export type PluralMessage = Partial<Record<Intl.LDMLPluralRule, string>> & { readonly other: string }

/** A text for readers. `{name}` is replaced by a value, `*text*` is strong, and `[text](name)` links to an address. */
export type Message = string | PluralMessage

export type Messages = Readonly<Record<string, Message>>

/** The messages of an area in another language: the same names, with plural forms where English has them. */
export type Translation<M extends Messages> = {
  readonly [Name in keyof M]: M[Name] extends string ? string : PluralMessage
}

/** The names of the values that a message needs. */
export type ValueName<M extends Message> = M extends string ? NamesIn<M> : 'count' | NamesIn<M[keyof M] & string>

type NamesIn<Form extends string> = Placeholders<Form> | Addresses<Form>

type Placeholders<Form extends string> = Form extends `${string}{${infer Name}}${infer Rest}`
  ? Name | Placeholders<Rest>
  : never

type Addresses<Form extends string> = Form extends `${string}](${infer Name})${infer Rest}`
  ? Name | Addresses<Rest>
  : never
