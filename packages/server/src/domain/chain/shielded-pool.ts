/** The shielded pools of payments to an Orchard receiver. The height decides which one counts (ZIP 326). */
export type ShieldedPool = 'orchard' | 'ironwood'
