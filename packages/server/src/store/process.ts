import { hostname } from 'node:os'

/** A process that runs the service, as other processes see it. */
export interface ServiceProcess {
  /** Such as `process 12 on shop-1`. */
  readonly name: string
  /** The ids of the encryption keys that it has. */
  readonly encryptionKeyIds: readonly string[]
}

/** @param encryptionKeyIds without spaces or commas */
export function thisProcess(encryptionKeyIds: readonly string[]): ServiceProcess {
  return { name: `process ${process.pid} on ${hostname()}`, encryptionKeyIds }
}

/** Starts every text of `formatProcess`. */
export const PROCESS_PREFIX = 'zatgate keys='

/** One line. PostgreSQL keeps 63 bytes of it, so the name comes last. */
export function formatProcess({ name, encryptionKeyIds }: ServiceProcess): string {
  return `${PROCESS_PREFIX}${encryptionKeyIds.join(',')} ${name}`
}

/** The process without keys when the text is damaged. */
export function parseProcess(text: string): ServiceProcess {
  const [, ids, name] = /^zatgate keys=(\S*) (.+)/.exec(text) ?? []
  if (ids === undefined || name === undefined) return { name: 'another process', encryptionKeyIds: [] }
  return { name: name.trim(), encryptionKeyIds: ids.split(',').filter(id => id !== '') }
}
