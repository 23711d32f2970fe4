import type { Clock } from '../ports/clock.ts'

/** Shows the progress of long operations. */
export interface Progress {
  /** @param total null when it is not known */
  update(done: number, total: number | null): void
  /** Removes what is shown in place. */
  end(): void
}

/** A terminal whose last line can be rewritten. */
export interface Terminal {
  readonly columns?: number
  write(text: string): unknown
}

export interface ProgressOptions {
  /** The operation, such as `rescan`. */
  readonly label: string
  /** The unit of the count, such as `blocks`. `bytes` are shown as MB. */
  readonly unit: string
  readonly clock: Pick<Clock, 'nowMs'>
  /** One line is rewritten on it. Null: lines go to `print`. */
  readonly terminal: Terminal | null
  /** Prints a line, at most every ten seconds, and the first one after ten seconds. */
  print(line: string): void
}

const DRAW_INTERVAL_MS = 100
const PRINT_INTERVAL_MS = 10_000
/** The rate is that of the last ten seconds. */
const RATE_WINDOW_MS = 10_000
const SAMPLE_INTERVAL_MS = 200
/** A rate over less time would jump. */
const MIN_RATE_MS = 1_000
const DEFAULT_COLUMNS = 80
const CLEAR_LINE = '\r\u001b[K'

interface Sample {
  readonly atMs: number
  readonly done: number
}

export function createProgress({ label, unit, clock, terminal, print }: ProgressOptions): Progress {
  let samples: Sample[] = []
  let shownAtMs = terminal ? Number.NEGATIVE_INFINITY : clock.nowMs()
  let isDrawn = false

  /** Units per second; null when it is not known yet. */
  function rate(now: Sample): number | null {
    const last = samples.at(-1)
    // The clock was set, or the work began again.
    if (last && (now.atMs < last.atMs || now.done < last.done)) samples = []
    if (samples.length === 0 || now.atMs - samples.at(-1)!.atMs >= SAMPLE_INTERVAL_MS) samples.push(now)
    while (samples.length > 2 && now.atMs - samples[1]!.atMs >= RATE_WINDOW_MS) samples.shift()
    const { atMs, done } = samples[0]!
    const elapsedMs = now.atMs - atMs
    return elapsedMs < MIN_RATE_MS || now.done <= done ? null : ((now.done - done) * 1000) / elapsedMs
  }

  return {
    update(done, total) {
      const atMs = clock.nowMs()
      const perSecond = rate({ atMs, done })
      const sinceShownMs = atMs - shownAtMs
      if (sinceShownMs >= 0 && sinceShownMs < (terminal ? DRAW_INTERVAL_MS : PRINT_INTERVAL_MS)) return
      shownAtMs = atMs
      const line = `${label}: ${describeProgress(done, total, perSecond, unit)}`
      if (!terminal) return print(line)
      terminal.write(CLEAR_LINE + fit(line, terminal.columns || DEFAULT_COLUMNS))
      isDrawn = true
    },
    end() {
      if (isDrawn) terminal?.write(CLEAR_LINE)
      isDrawn = false
    },
  }
}

/**
 * Such as `42%, 3 min left (1,200 of 2,900 blocks, 9 a second)`. Without a total that can be right, only what is known.
 * @param perSecond null: not known
 */
export function describeProgress(done: number, total: number | null, perSecond: number | null, unit: string): string {
  const isBytes = unit === 'bytes'
  const amount = isBytes ? megabytes : wholeNumber
  const [name, each] = isBytes ? ['MB', 'MB a second'] : [unit, 'a second']
  const speed = perSecond === null ? '' : `, ${amount(perSecond)} ${each}`
  if (total === null || total <= 0 || done > total) return `${amount(done)} ${name}${speed}`
  // 100% is for work that is complete.
  const percent = `${Math.floor((done / total) * 100)}%`
  const left = perSecond === null || done === total ? '' : `, ${formatDuration((total - done) / perSecond)} left`
  return `${percent}${left} (${amount(done)} of ${amount(total)} ${name}${speed})`
}

/** A time in words, rounded up: `40 s`, `3 min`, `2 h 5 min`, `3 days`. */
export function formatDuration(secs: number): string {
  const seconds = Math.max(1, Math.ceil(secs))
  if (seconds < 60) return `${seconds} s`
  const minutes = Math.ceil(seconds / 60)
  if (minutes < 60) return `${minutes} min`
  const hours = Math.floor(minutes / 60)
  if (hours < 48) return minutes % 60 === 0 ? `${hours} h` : `${hours} h ${minutes % 60} min`
  return `${Math.ceil(minutes / (24 * 60))} days`
}

/** At least 1 for a rate that is not zero. */
function wholeNumber(value: number): string {
  return (value > 0 && value < 1 ? 1 : Math.floor(value)).toLocaleString('en-US')
}

function megabytes(bytes: number): string {
  return (bytes / 1e6).toLocaleString('en-US', { minimumFractionDigits: 1, maximumFractionDigits: 1 })
}

/** One column stays free: a full line would wrap. */
function fit(line: string, columns: number): string {
  return line.length < columns ? line : `${line.slice(0, Math.max(0, columns - 2))}…`
}
