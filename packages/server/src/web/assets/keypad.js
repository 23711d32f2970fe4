/* The keypad at the counter: its keys, its sounds, and the page it shows without a connection. */

const SEEN = [[660, 0]]
const PAID = [
  [660, 0],
  [990, 0.16],
]

/* Keys */

const keys = document.querySelector('[data-keys]')
const amount = document.querySelector('#amount')

function press(key) {
  const { value, maxLength } = amount
  if (key === 'back') amount.value = value.slice(0, -1)
  else if (key === '.' && /[.,]/.test(value)) return
  else if (value.length < maxLength) amount.value = key === '.' && value === '' ? '0.' : value + key
}

if (keys) {
  keys.hidden = false
  // The keys of the page take the place of the phone's own keyboard.
  amount.inputMode = 'none'
  keys.addEventListener('click', ({ target }) => {
    const { key } = target.dataset
    if (key !== undefined) press(key)
  })
}

/* Sounds */

/** Tones of a frequency in hertz, each after a time in seconds. A browser may keep silent: the page shows the same. */
function play(tones) {
  navigator.vibrate?.(tones.map(() => 120))
  const audio = new AudioContext()
  for (const [frequency, after] of tones) {
    const [tone, volume] = [audio.createOscillator(), audio.createGain()]
    const start = audio.currentTime + after
    tone.frequency.value = frequency
    volume.gain.setValueAtTime(0.25, start)
    volume.gain.exponentialRampToValueAtTime(0.001, start + 0.4)
    tone.connect(volume).connect(audio.destination)
    tone.start(start)
    tone.stop(start + 0.4)
  }
}

const soundOf = () => document.querySelector('[data-sound]')?.dataset.sound
let heard = soundOf()

new MutationObserver(() => {
  const sound = soundOf()
  if (sound === heard) return
  heard = sound
  if (sound !== undefined) play(sound === 'paid' ? PAID : SEEN)
}).observe(document.querySelector('main'), { subtree: true, childList: true, attributes: true })

/* The page without a connection */

const { href } = document.querySelector('link[rel="stylesheet"]')
navigator.serviceWorker?.register(`/pos/worker.js?style=${encodeURIComponent(new URL(href).pathname)}`).catch(() => {})
