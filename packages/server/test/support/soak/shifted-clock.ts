/**
 * Preloaded into a service process (`--import`): its wall clock runs as `ZATGATE_TEST_CLOCK` says, which is
 * `<since>,<factor>,<shift>`: since that Unix time in milliseconds `factor` times as fast as the real clock, and
 * `shift` milliseconds ahead. Timers run as ever.
 */
const [sinceMs = 0, factor = 1, shiftMs = 0] = (process.env.ZATGATE_TEST_CLOCK ?? '').split(',').map(Number)
const realNow = Date.now

Date.now = () => Math.floor(sinceMs + (realNow() - sinceMs) * factor) + shiftMs
