export interface OutgoingMail {
  readonly to: string
  readonly subject: string
  /** Plain text. */
  readonly text: string
}

export interface Mailer {
  /** Resolves when the mail server has accepted the mail. */
  send(mail: OutgoingMail): Promise<void>
  close(): void
}
