/** The part of a pino logger that a browser host uses. */
export interface HostLog {
  info(fields: object, message: string): void;
  warn(fields: object, message: string): void;
}
