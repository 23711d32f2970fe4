/** A composed plain-text mail. */
export interface OutgoingMail {
  readonly to: string
  readonly subject: string
  /** Plain text. */
  readonly text: string
}

/** Sends mails. A call rejects when the mail server does not accept the mail. */
export interface Mailer {
  /** Resolves when the mail server has accepted the mail. */
  send(mail: OutgoingMail): Promise<void>
  close(): void
}
