/** Who looks at a page of the dashboard. */
export interface Viewer {
  readonly email: string
  readonly sandbox: boolean
}
