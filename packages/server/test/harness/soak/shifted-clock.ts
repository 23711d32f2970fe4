/**
 * Preloaded into a service process (`--import`) to change its wall clock. `ZATGATE_TEST_CLOCK` is
 * `<since>,<factor>,<shift>`: from Unix time `since` in milliseconds, the clock runs `factor` times as fast as the real
 * one and is `shift` milliseconds ahead. Timers are unchanged.
 */
const [sinceMs = 0, factor = 1, shiftMs = 0] = (process.env.ZATGATE_TEST_CLOCK ?? '').split(',').map(Number)
const realNow = Date.now

Date.now = () => Math.floor(sinceMs + (realNow() - sinceMs) * factor) + shiftMs
