import { existsSync } from 'node:fs'
import { type Browser, chromium } from 'playwright-core'

const EXECUTABLE = process.env.ZATGATE_TEST_CHROMIUM || '/usr/bin/chromium'

const FLAGS = [
  '--headless',
  '--no-sandbox',
  '--disable-gpu',
  '--disable-quic',
  '--no-first-run',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
]

/** The reason to skip browser tests, or false if Chromium is installed. @throws in CI, where it is required */
export function noBrowser(): string | false {
  if (existsSync(EXECUTABLE)) return false
  const reason = `no Chromium at ${EXECUTABLE}: set ZATGATE_TEST_CHROMIUM`
  if (process.env.CI === 'true') throw new Error(reason)
  return reason
}

export function openBrowser(): Promise<Browser> {
  return chromium.launch({ executablePath: EXECUTABLE, args: FLAGS, timeout: 30_000 })
}
