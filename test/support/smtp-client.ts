import { connect } from 'node:net';
import { once } from 'node:events';
import type { MailPlace } from '#platform/mail/start-mail-server.ts';

/** A raw SMTP connection. */
export interface SmtpClient {
  /** Sends text unchanged. Returns the last line of each of the next `replies` responses. */
  say(text: string, replies: number): Promise<string[]>;
  /** Sends text without waiting for a response. */
  write(text: string): void;
  /** Cuts the connection. */
  drop(): void;
  /** Resolves when the connection has ended. */
  readonly closed: Promise<void>;
}

/** Connects and reads the greeting. */
export async function openSmtp({ host, port }: MailPlace): Promise<SmtpClient> {
  const socket = connect(port, host);
  socket.setEncoding('utf8');
  const closed = new Promise<void>((resolve) => void socket.once('close', () => resolve()));
  // A server that ends may reset the connection. `closed` reports the end.
  socket.on('error', () => undefined);
  const { next, add } = queue([]);
  let rest = '';
  socket.on('data', (text: string) => {
    const parts = (rest + text).split('\r\n');
    rest = parts.pop() ?? '';
    for (const line of parts) add(line);
  });
  await once(socket, 'connect');
  const answer = async (): Promise<string> => {
    for (;;) {
      const line = await next();
      // The last line of a response has a space after its code.
      if (/^\d{3} /.test(line)) return line;
    }
  };
  await answer();
  return {
    closed,
    async say(text, replies) {
      socket.write(text);
      const answers: string[] = [];
      while (answers.length < replies) answers.push(await answer());
      return answers;
    },
    write: (text) => void socket.write(text),
    drop: () => void socket.destroy(),
  };
}

function queue(lines: string[]): { readonly next: () => Promise<string>; readonly add: (line: string) => void } {
  const waiting: ((line: string) => void)[] = [];
  return {
    next: () => {
      const line = lines.shift();
      return line === undefined ? new Promise((resolve) => waiting.push(resolve)) : Promise.resolve(line);
    },
    add(line) {
      const first = waiting.shift();
      if (first === undefined) lines.push(line);
      else first(line);
    },
  };
}
