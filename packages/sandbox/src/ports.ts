import { createServer } from 'node:net'
import { listen, stopListening } from './http/listen.ts'

/** The ports of the other servers, as offsets from SANDBOX_PORT. */
const OFFSETS = { lightwalletd: 1, smtp: 2, swaps: 3, webhooks: 4, rates: 5 } as const

export type SandboxPorts = Record<'control' | keyof typeof OFFSETS, number>

/**
 * Chooses the ports: the given control port, and the following ports for the other servers, so that all addresses stay
 * the same after a restart. If one of the other ports is in use, it becomes 0 (a free port).
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
