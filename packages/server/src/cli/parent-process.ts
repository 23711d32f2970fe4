/**
 * Calls back once when the launcher that started this process has exited. `kill -9` sends no signal to children, but it
 * closes the IPC channel. Never calls back in a process started without an IPC channel. Does not keep the process
 * running.
 */
export function onParentExit(callback: () => void): void {
  // `send` remains after the channel has closed; `channel` does not.
  if (process.send === undefined) return
  if (!process.connected) {
    callback()
    return
  }
  process.once('disconnect', callback)
  // The listener would keep the event loop running, but a finished command must exit.
  process.channel?.unref()
}
