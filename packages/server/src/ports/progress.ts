/** Follows long work, and stops it. */
export interface WorkWatch {
  /** Work that stops rejects with the reason of the signal, and leaves nothing half-done. */
  readonly signal?: AbortSignal
  /** Called often: the amount that is done, and the total of the same unit. */
  readonly onProgress?: (done: number, total: number) => void
}
