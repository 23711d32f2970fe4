/** The signed-in user that a dashboard page is rendered for. */
export interface Viewer {
  readonly email: string
  readonly sandbox: boolean
}
