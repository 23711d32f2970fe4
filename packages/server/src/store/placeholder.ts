/** In place of a sealed viewing key: of a deleted one, and until the row's id is known, which the sealed key is bound to. */
export const NO_KEY = new Uint8Array(0)

/** In place of the sealed payout details of an account that is deleted. */
export const NO_PAYOUT_DETAILS = new Uint8Array(0)

/** In place of a height: the total of the payments in the mempool. */
export const UNMINED = -1
