const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i

/** RFC 9562 text form; upper case is accepted and means the same. */
export function isUuid(text: string): boolean {
  return UUID.test(text)
}
