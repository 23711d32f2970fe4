/** The largest diversifier index that a database integer holds; none beyond is ever handed out, so none is an invoice's. */
export const MAX_INDEX = 2n ** 63n - 1n

/** Where what is kept of a viewing key rests, sealed. */
export function viewingKeyPlace(viewingKeyId: number) {
  return { table: 'viewing_keys', column: 'sealed', row: viewingKeyId } as const
}
