/** The shielded pool of a note. Both pools use the same keys, addresses and action encoding (ZIP 229). */
export type ShieldedPool = 'orchard' | 'ironwood'
