// Preloaded in tests: the threads of the service have an empty environment, so that they do not find the cache of compiled
// files, and each would remove the types from all of its files again, which is half of its start.
import module from 'node:module'
import { fileURLToPath } from 'node:url'
import { isMainThread } from 'node:worker_threads'

/** The cache of compiled files, of which processes learn by NODE_COMPILE_CACHE. */
export const COMPILED = fileURLToPath(new URL('../../node_modules/.cache/node-compile', import.meta.url))

if (!isMainThread) module.enableCompileCache(COMPILED)
