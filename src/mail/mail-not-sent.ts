/** The email was not accepted. `temporary` means that it may be later (there was no connection, or SMTP 4yz: RFC 5321 §4.2.1). */
export class MailNotSent extends Error {
  override readonly name = "MailNotSent"
  readonly temporary: boolean

  constructor(temporary: boolean, reason: string) {
    super(reason)
    this.temporary = temporary
  }
}
