import { AppError } from '../domain/error.ts'
import { plain } from './text/dashboard.ts'

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
  not_found: plain('error_not_found'),
  too_many: plain('error_too_many'),
  forbidden: plain('error_forbidden'),
  internal: plain('error_internal'),
  unavailable: plain('error_unavailable'),
}
