/** Where what is kept of a viewing key rests, sealed. */
export function viewingKeyPlace(viewingKeyId: number) {
  return { table: 'viewing_keys', column: 'sealed', row: viewingKeyId } as const
}
