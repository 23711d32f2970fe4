import { createServer } from 'node:net'
import { listen, stopListening } from './http/listen.ts'

/** The parts beside the control API, each at its own distance from SANDBOX_PORT. */
const OFFSETS = { lightwalletd: 1, smtp: 2, swaps: 3, webhooks: 4, rates: 5 } as const

export type SandboxPorts = Record<'control' | keyof typeof OFFSETS, number>

/**
 * The control port as it is set, and the ports after it for the rest, so that every address stays the same from start
 * to start. A port of the rest that another program has gives way to a free one (0).
 */
export async function choosePorts(control: number): Promise<SandboxPorts> {
  const chosen: SandboxPorts = { control, lightwalletd: 0, smtp: 0, swaps: 0, webhooks: 0, rates: 0 }
  if (control === 0) return chosen
  for (const [part, offset] of Object.entries(OFFSETS) as [keyof typeof OFFSETS, number][]) {
    const port = control + offset
    chosen[part] = port <= 65_535 && (await isFree(port)) ? port : 0
  }
  return chosen
}

async function isFree(port: number): Promise<boolean> {
  const probe = createServer()
  try {
    await listen(probe, port)
    await stopListening(probe)
    return true
  } catch {
    return false
  }
}
