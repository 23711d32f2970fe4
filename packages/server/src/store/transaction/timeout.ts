import { AppError } from '../../domain/error.ts'

/**
 * Runs `work` with a time limit.
 * @throws AppError `timed_out` after `ms` milliseconds
 */
export async function withTimeout<T>(ms: number, work: () => Promise<T>): Promise<T> {
  let timer: NodeJS.Timeout | undefined
  const timeout = new Promise<never>((_, reject) => {
    timer = setTimeout(() => {
      reject(new AppError('timed_out', { cause: `not finished within ${ms} ms` }))
    }, ms)
  })
  try {
    return await Promise.race([work(), timeout])
  } finally {
    clearTimeout(timer)
  }
}

/** Whether `withTimeout` threw the error. Its work may still be running. */
export function isTimeout(error: unknown): boolean {
  return error instanceof AppError && error.code === 'timed_out'
}
