/** The shielded pools that payments to an Orchard receiver lie in; which one counts is decided by height (ZIP 326). */
export type Pool = 'orchard' | 'ironwood'
