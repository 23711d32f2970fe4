export interface ApiKey {
  readonly id: number
  readonly publicId: string
  readonly accountId: number
  readonly name: string
  readonly last4: string
  readonly createdAt: number
  readonly lastUsedAt: number | null
  readonly revokedAt: number | null
}

export const MAX_API_KEYS = 100
