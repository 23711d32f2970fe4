/**
 * Calls back, once, when the launcher that started this process is gone, however it ended: kill -9 tells nobody, but it
 * closes the IPC channel between the two. Never calls back in a process started without such a channel.
 * Does not keep the process running.
 */
export function onParentGone(callback: () => void): void {
  // `send` stays after the channel has closed, `channel` does not.
  if (process.send === undefined) return
  if (!process.connected) {
    callback()
    return
  }
  process.once('disconnect', callback)
  // Listening holds the event loop open; a command that is done shall end.
  process.channel?.unref()
}
