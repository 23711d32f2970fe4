import { setTimeout as after } from 'node:timers/promises'
import type { Clock } from '../../ports.ts'

export const systemClock: Clock = {
  nowMs: () => Date.now(),
  sleep: (ms, signal) => after(ms, undefined, signal ? { signal } : {}).catch(() => undefined),
}
