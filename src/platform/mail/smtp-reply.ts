/** What a sender is told in place of yes: a code of RFC 5321 and a line in words. */
export class SmtpReply extends Error {
  override readonly name = 'SmtpReply';
  /** 4xx: it may be tried again; 5xx: never. */
  readonly responseCode: number;

  constructor(responseCode: number, message: string) {
    super(message);
    this.responseCode = responseCode;
  }
}
