import { NO_TRACER } from '../../ports/tracer.ts'
import type { OtlpTracer, OtlpTracerDeps } from './tracer.ts'

/** Opens the tracer. Without an endpoint it records nothing, and its code is not loaded. */
export async function openTracer(endpoint: string | null, deps: Omit<OtlpTracerDeps, 'endpoint'>): Promise<OtlpTracer> {
  if (endpoint === null) return { ...NO_TRACER, close: async () => {} }
  const { createOtlpTracer } = await import('./tracer.ts')
  return createOtlpTracer({ ...deps, endpoint })
}
