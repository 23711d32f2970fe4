/** The signed-in user that a dashboard page is rendered for. */
export interface PageUser {
  readonly email: string
  readonly sandbox: boolean
}
