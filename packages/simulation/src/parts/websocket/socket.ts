import { EventEmitter } from 'node:events'

/** The part of a WebSocket that the service uses. Its messages arrive at once. */
export class BuyerSocket extends EventEmitter {
  readonly bufferedAmount = 0
  isOpen = true
  readonly #receive: (message: string) => void

  constructor(receive: (message: string) => void) {
    super()
    this.#receive = receive
  }

  send(message: string): void {
    if (this.isOpen) this.#receive(message)
  }

  close(): void {
    if (!this.isOpen) return
    this.isOpen = false
    this.emit('close')
  }

  terminate(): void {
    this.close()
  }
}
