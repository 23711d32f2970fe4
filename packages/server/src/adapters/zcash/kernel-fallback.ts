import { KernelError } from '@zatgate/zcash/errors'
import type { Log } from '../../ports/log.ts'

/** Runs jobs with the scan kernel until its first error, and from then on without it. */
interface KernelFallback {
  /** The kernel is not used any more. */
  readonly isPlain: () => boolean
  /** Runs a job. After an error of the kernel it runs again without it. */
  readonly run: <T>(job: (plain: boolean) => Promise<T>) => Promise<T>
}

/** @param onError called once: what the kernel computed before may be wrong too */
export function createKernelFallback(log: Log, onError: () => void): KernelFallback {
  let isPlain = false

  function leaveKernel(err: KernelError): void {
    if (isPlain) return
    isPlain = true
    onError()
    log.error(
      { err },
      'the scan kernel is not used from now on; payments are found by the slower plain path. ' +
        'If this is no missing processor feature, scan the last days again with "zatgate rescan"',
    )
  }

  return {
    isPlain: () => isPlain,

    async run(job) {
      if (isPlain) return job(true)
      try {
        return await job(false)
      } catch (error) {
        if (!(error instanceof KernelError)) throw error
        leaveKernel(error)
        return job(true)
      }
    },
  }
}
