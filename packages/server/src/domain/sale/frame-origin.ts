/**
 * Whether the origin of a page, as browsers write it, can have the checkout in a frame and be sent its messages.
 * @param allowed the origins that the shop has named; null: any page may be around the frame
 */
export function mayFrame(origin: string, allowed: readonly string[] | null = null): boolean {
  const url = URL.parse(origin)
  if (url?.origin !== origin || !/^https?:$/.test(url.protocol)) return false
  return allowed === null || allowed.includes(origin)
}
