import type { Store, Vault } from '../ports.ts'

export interface Secrets {
  /** Opens and seals again every secret at rest, so that all are under the newest encryption key; how many they were. */
  reseal(): Promise<number>
  /** Opens one secret of each kind. @throws when the encryption key is not the one they were sealed under */
  check(): Promise<void>
}

export function createSecrets({ store, vault }: { store: Store; vault: Vault }): Secrets {
  const place = (row: number) => ({ table: 'viewing_keys', column: 'sealed', row })
  return {
    async reseal() {
      const keys = await store.read(rows => rows.viewingKeys.all())
      for (const { id, sealed } of keys) {
        const again = vault.seal(vault.open(sealed, place(id)), place(id))
        await store.write(rows => rows.viewingKeys.reseal(id, again))
      }
      return keys.length
    },

    async check() {
      const [key] = await store.read(rows => rows.viewingKeys.all())
      if (key) vault.open(key.sealed, place(key.id))
    },
  }
}
