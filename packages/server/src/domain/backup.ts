import { DAY_SECS } from './time.ts'

/** The guides make a backup every day. */
const MAX_BACKUP_AGE_SECS = 2 * DAY_SECS

/** Whether a day's backup has been left out. @param newest Unix seconds of the newest backup; null: there is none */
export function isBackupMissing(newest: number | null, now: number): boolean {
  return newest === null || now - newest > MAX_BACKUP_AGE_SECS
}
