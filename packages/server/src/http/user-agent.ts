/** Most specific first, because most browsers also name others for compatibility. */
const BROWSERS = [
  [/\bEdgA?\//, 'Edge'],
  [/\bOPR\//, 'Opera'],
  [/\bFirefox\/|\bFxiOS\//, 'Firefox'],
  [/\bChrome\/|\bCriOS\/|\bHeadlessChrome\//, 'Chrome'],
  [/\bSafari\//, 'Safari'],
] as const

const SYSTEMS = [
  [/\biPhone\b/, 'iPhone'],
  [/\biPad\b/, 'iPad'],
  [/\bAndroid\b/, 'Android'],
  [/\bWindows\b/, 'Windows'],
  [/\bMac OS X\b/, 'Mac'],
  [/\bCrOS\b/, 'ChromeOS'],
  [/\bLinux\b/, 'Linux'],
] as const

/** The label of a browser session: `Firefox on Linux`. */
export function browserName(userAgent = ''): string {
  const browser = BROWSERS.find(([pattern]) => pattern.test(userAgent))?.[1] ?? 'A browser'
  const system = SYSTEMS.find(([pattern]) => pattern.test(userAgent))?.[1]
  return system === undefined ? browser : `${browser} on ${system}`
}

const MAX_PROGRAM_CHARS = 40

/** The short name of a client's program: a browser as `browserName`, another one by its first word. Null: not sent. */
export function programName(userAgent: string | undefined): string | null {
  if (userAgent === undefined) return null
  if (BROWSERS.some(([pattern]) => pattern.test(userAgent))) return browserName(userAgent)
  return /[!-~]+/.exec(userAgent)?.[0].slice(0, MAX_PROGRAM_CHARS) ?? null
}
