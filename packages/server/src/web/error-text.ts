import { AppError } from '../domain/error.ts'

/** The error message as a sentence for a page. Rethrows internal and unknown errors. */
export function errorSentence(error: unknown): string {
  if (!(error instanceof AppError) || error.kind === 'internal') throw error
  const { detail } = error.extra
  const message = error.code.startsWith('invalid_') ? withoutUnits(error.message) : error.message
  const text = detail === undefined ? message : `${message}: ${detail}`
  return `${text.charAt(0).toUpperCase()}${text.slice(1)}.`
}

/** Turns API field names into the names used on pages: `invalid amount_zat` → `invalid amount`. */
function withoutUnits(message: string): string {
  return message.replace(/_(zat|secs)$/, '').replaceAll('_', ' ')
}

export const ERROR_TITLES: Partial<Record<AppError['kind'], string>> = {
  not_found: 'Not found',
  too_many: 'Too many requests',
  forbidden: 'Request refused',
  internal: 'Something went wrong',
  unavailable: 'Temporarily unavailable',
}
