/** Whether the origin of a page, as browsers write it, can have the checkout in a frame and be sent its messages. */
export function mayFrame(origin: string): boolean {
  const url = URL.parse(origin)
  return url?.origin === origin && /^https?:$/.test(url.protocol)
}
