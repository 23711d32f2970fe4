import { KernelError } from '@zatgate/zcash/errors'
import { createKernel as createSoundKernel, type Kernel } from '@zatgate/zcash/kernel/kernel'

/** A kernel that misses all notes, notices an error at its second scan, and derives the addresses of other indexes. */
export function createKernel(...args: Parameters<typeof createSoundKernel>): Kernel {
  const sound = createSoundKernel(...args)
  let scans = 0
  return {
    ...sound,
    orchardReceivers: (key, from, count) => sound.orchardReceivers(key, from + 1n, count),
    tryDecryptCompactActions() {
      if (++scans > 1) throw new KernelError('a result is wrong')
      return []
    },
  }
}
