import { constants, type Http2Session } from 'node:http2'
import { Http2SessionManager } from '@connectrpc/connect-node'

type Requests = Pick<Http2SessionManager, 'authority' | 'request' | 'notifyResponseByteRead'>

/**
 * The HTTP/2 connections to one server. After GOAWAY on an idle connection, Node emits the error of that connection some
 * event loop turns later, when the base class no longer listens: it would end the process.
 * See https://github.com/connectrpc/connect-es/issues/1768.
 */
export class Http2Sessions extends Http2SessionManager {
  readonly #guarded = new WeakSet<Http2Session>()

  override async request(...args: Parameters<Http2SessionManager['request']>) {
    const stream = await super.request(...args)
    const { session } = stream
    if (session !== undefined && !this.#guarded.has(session)) {
      this.#guarded.add(session)
      session.on('error', () => undefined)
    }
    return stream
  }

  /**
   * For one request, which this signal cancels. Connect does nothing about a response that the server has ended already: its
   * unread rest would keep the connection open as long as the process runs.
   */
  cancelledBy(signal: AbortSignal): Requests {
    return {
      authority: this.authority,
      request: async (...args) => {
        const stream = await this.request(...args)
        const discard = () => {
          if (stream.closed && stream.rstCode === constants.NGHTTP2_NO_ERROR) stream.destroy()
        }
        signal.addEventListener('abort', discard)
        stream.once('close', () => signal.removeEventListener('abort', discard))
        return stream
      },
      notifyResponseByteRead: stream => this.notifyResponseByteRead(stream),
    }
  }
}
