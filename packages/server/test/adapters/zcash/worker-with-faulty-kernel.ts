/** A worker of the note scanner whose kernel computes wrong results. */
import { registerHooks } from 'node:module'
import { createKernel } from './faulty-kernel.ts'

const FAULTY = new URL('./faulty-kernel.ts', import.meta.url).href

registerHooks({
  resolve(specifier, context, next) {
    const isForWorker = context.parentURL?.endsWith('/src/adapters/zcash/worker.ts')
    return next(isForWorker && specifier === '@zatgate/zcash/kernel/kernel' ? FAULTY : specifier, context)
  },
})
// The worker imports this kernel in place of the real one.
if (!createKernel) throw new Error('no faulty kernel')
await import('../../../src/adapters/zcash/worker.ts')
