/** `csv_semicolon` is for spreadsheets of languages with a decimal comma. */
export const EXPORT_FORMATS = ['csv', 'csv_semicolon', 'json'] as const
export type ExportFormat = (typeof EXPORT_FORMATS)[number]

/** The lists that can be exported. */
const EXPORT_KINDS = ['invoices', 'refunds'] as const
export type ExportKind = (typeof EXPORT_KINDS)[number]

export function isExportKind(text: string): text is ExportKind {
  return (EXPORT_KINDS as readonly string[]).includes(text)
}

export function isExportFormat(text: string): text is ExportFormat {
  return (EXPORT_FORMATS as readonly string[]).includes(text)
}

/** An export that is being read. */
export interface RunningExport {
  /** The session that began it; null for the command. */
  readonly session: number | null
  readonly startedAtMs: number
  readonly readAtMs: number
  /** Pages read so far. */
  readonly pages: number
}

/** An export that was not read for this long gives way to every other one of the account. */
const STALLED_MS = 60_000
/** An export gets this long before its pace counts. */
const GRACE_MS = 60_000
/** Another session may take the place of an export that is slower than this on average. */
const MS_PER_PAGE = 1_000

/**
 * Whether a running export gives way to one that `session` begins. The pace counts only for other sessions: a stolen
 * one that reads a page now and then does not keep the owner from exporting.
 */
export function givesWay(running: RunningExport, session: number | null, nowMs: number): boolean {
  if (nowMs - running.readAtMs >= STALLED_MS) return true
  const ageMs = nowMs - running.startedAtMs
  return running.session !== session && ageMs >= GRACE_MS && running.pages * MS_PER_PAGE < ageMs
}
