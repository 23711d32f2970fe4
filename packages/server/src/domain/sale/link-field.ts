import { invalidField } from '../error.ts'
import { requirePrintableLine } from '../text.ts'

/** A field of a payment link that the buyer fills in before an invoice is created. It is stored and sent in this form. */
export interface LinkField {
  label: string
  required: boolean
}

export const LINK_FIELD_LIMITS = { fields: 5, label: 60, answer: 200 } as const

/** @throws AppError `invalid_fields` */
export function requireLinkFields(fields: readonly LinkField[]): void {
  if (fields.length > LINK_FIELD_LIMITS.fields) throw invalidField('fields', `at most ${LINK_FIELD_LIMITS.fields}`)
  for (const { label } of fields) requirePrintableLine('fields', label, LINK_FIELD_LIMITS.label)
  if (new Set(fields.map(({ label }) => label)).size < fields.length)
    throw invalidField('fields', 'each with another label')
}

/**
 * The answers of a buyer by the labels of their fields, as metadata. Null without any.
 * @param answers in the order of the fields
 * @throws AppError `invalid_field_<number>`
 */
export function linkMetadata(fields: readonly LinkField[], answers: readonly string[]): string | null {
  const given = fields.flatMap(({ label, required }, index): [string, string][] => {
    const answer = (answers[index] ?? '').trim()
    if (answer === '' && !required) return []
    requirePrintableLine(`field_${index + 1}`, answer, LINK_FIELD_LIMITS.answer)
    return [[label, answer]]
  })
  return given.length === 0 ? null : JSON.stringify({ fields: Object.fromEntries(given) })
}
