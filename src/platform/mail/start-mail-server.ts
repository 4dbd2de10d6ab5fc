import { Buffer } from 'node:buffer';
import { once } from 'node:events';
import { createRequire } from 'node:module';
import type { AddressInfo, Socket } from 'node:net';
import type { Logger } from 'pino';
import type { SMTPServerDataStream, SMTPServerOptions } from 'smtp-server';
import { getLimit, type RuleBook } from '#contract/rule-book.ts';
import type { IncomingMail, Mailroom, Reception } from './create-mailroom.ts';

/**
 * SMTP server of the package `smtp-server`. It is loaded with `require`, because an import would load `node:http` with
 * its HTTP client (see #lib/http.ts), which is not needed here.
 */
const { SMTPServer }: typeof import('smtp-server') = createRequire(import.meta.url)('smtp-server');

/** Dependencies of the mail server. */
export interface MailServerDeps {
  readonly mailroom: Mailroom;
  readonly rules: RuleBook;
  readonly log: Pick<Logger, 'info' | 'error'>;
  readonly shown: IncomingMail['shown'];
}

/** Address to listen on; port 0 selects a free port. */
export interface MailPlace {
  readonly host: string;
  readonly port: number;
}

/** A running mail server. */
export interface MailServer {
  readonly place: MailPlace;
  /** Accepts no more mail, waits until received mail is stored, and closes all connections. */
  close(): Promise<void>;
}

/**
 * Starts an SMTP server for active sessions. Any client of the port may send mail to these sessions; the server relays
 * nothing. Rejects for a port in use.
 */
export async function startMailServer(deps: MailServerDeps, { host, port }: MailPlace): Promise<MailServer> {
  const work = createWork();
  const sockets = createSockets(getLimit(deps.rules, 'mailConnection'));
  const server = new SMTPServer(serverOptions(deps, work));
  server.server.on('connection', (socket: Socket) => sockets.add(socket));
  const listening = once(server.server, 'listening');
  // `listening` rejects for a port in use; an error of a connection concerns its sender only.
  server.on('error', (error: Error) => deps.log.info({ err: error }, 'a mail connection failed'));
  server.listen(port, host);
  await listening;
  return {
    place: { host, port: listeningPort(server.server.address()) },
    async close() {
      const closed = once(server.server, 'close');
      server.close();
      await work.end();
      sockets.end();
      await closed;
    },
  };
}

function listeningPort(address: AddressInfo | string | null): number {
  if (address === null || typeof address === 'string') throw new TypeError(`found ${String(address)}, not a port`);
  return address.port;
}

function serverOptions(deps: MailServerDeps, work: Work): SMTPServerOptions {
  const { mailroom, rules } = deps;
  const room = createMailRoom(getLimit(rules, 'mailBytesAtOnce'));
  const perSource = getLimit(rules, 'mailClientsPerSource');
  /** IP addresses of clients, by connection. */
  const sources = new Map<string, string>();
  return {
    name: mailroom.domain,
    banner: 'mail for sessions',
    logger: false,
    // No authentication and no TLS: the port is for this machine or a mail server in front.
    authOptional: true,
    disabledCommands: ['AUTH', 'STARTTLS'],
    disableReverseLookup: true,
    hideENHANCEDSTATUSCODES: false,
    size: getLimit(rules, 'mailBytes'),
    maxClients: getLimit(rules, 'mailClients'),
    maxRecipients: getLimit(rules, 'mailRecipients'),
    socketTimeout: getLimit(rules, 'mailIdle'),
    onConnect({ id, remoteAddress }, callback) {
      sources.set(id, remoteAddress);
      const connections = [...sources.values()].filter((source) => source === remoteAddress).length;
      callback(connections > perSource ? new SmtpReply(421, 'Too many connections from your address') : null);
    },
    onClose: ({ id }) => void sources.delete(id),
    onRcptTo: ({ address }, _session, callback) =>
      void answer(deps, callback, async () => refuse(await work.do(() => mailroom.accepts(address)), 1)),
    onData(stream, { envelope }, callback) {
      const { mailFrom } = envelope;
      const sender = mailFrom === false ? '' : mailFrom.address;
      const recipients = envelope.rcptTo.map(({ address }) => address);
      void answer(deps, callback, () =>
        withMail(stream, room, async (raw) => {
          const mail = { sender, recipients, raw, shown: deps.shown };
          const reception = await work.do(() => mailroom.deliver(mail));
          if (typeof reception === 'object') deps.log.info({ reception }, 'a mail was refused');
          refuse(reception, recipients.length);
        }),
      );
    },
  };
}

/** The open connections. */
interface Sockets {
  /** Tracks a connection, and destroys it when it is open for longer than the limit. */
  add(socket: Socket): void;
  /** Destroys all connections. */
  end(): void;
}

function createSockets(lifetimeMs: number): Sockets {
  const open = new Set<Socket>();
  return {
    add(socket) {
      open.add(socket);
      const lifetimeTimer = setTimeout(() => socket.destroy(), lifetimeMs).unref();
      socket.once('close', () => {
        clearTimeout(lifetimeTimer);
        open.delete(socket);
      });
    },
    end() {
      for (const socket of open) socket.destroy();
    },
  };
}

/** Pending lookups and deliveries, which a shutdown awaits. */
interface Work {
  /** Runs work; rejects with an {@link SmtpReply} after `end`. */
  do<Result>(start: () => Promise<Result>): Promise<Result>;
  /** Rejects new work; resolves when pending work is done. */
  end(): Promise<void>;
}

function createWork(): Work {
  const begun = new Set<Promise<unknown>>();
  let isOver = false;
  return {
    async do(start) {
      if (isOver) throw new SmtpReply(421, 'The service is shutting down');
      const promise = start();
      begun.add(promise);
      try {
        return await promise;
      } finally {
        begun.delete(promise);
      }
    },
    async end() {
      isOver = true;
      await Promise.allSettled(begun);
    },
  };
}

/** Responds to a command with the result of some work; never rejects. */
async function answer(
  { log }: MailServerDeps,
  callback: (error?: Error | null) => void,
  work: () => Promise<void>,
): Promise<void> {
  try {
    await work();
    callback();
  } catch (error) {
    if (error instanceof SmtpReply) return callback(error);
    log.error({ err: error }, 'a mail could not be taken');
    callback(new SmtpReply(451, 'The message cannot be taken now'));
  }
}

/**
 * Throws the SMTP response of rejected mail; does nothing for `taken`. When one of several recipients is refused, it
 * asks the sender to retry (451), because each recipient is then checked separately.
 */
function refuse(reception: Reception, recipients: number): void {
  if (reception === 'taken') return;
  if (reception === 'unread') throw new SmtpReply(451, 'The message cannot be read now, try again');
  if (typeof reception === 'object')
    throw reception.kind === 'excess'
      ? new SmtpReply(552, `The message has ${reception.excess}`)
      : new SmtpReply(554, 'The message cannot be read');
  if (recipients > 1) throw new SmtpReply(451, 'One of the recipients does not take mail any more, try again');
  throw reception === 'full'
    ? new SmtpReply(452, 'The mailbox is full')
    : new SmtpReply(550, 'There is no such mailbox');
}

/** Memory budget of all mails that are being received. */
export interface MailRoom {
  /** Reserves bytes; returns false when the budget is exhausted. */
  take(bytes: number): boolean;
  free(bytes: number): void;
}

/** Creates a budget of `bytesMax` bytes. */
function createMailRoom(bytesMax: number): MailRoom {
  let left = bytesMax;
  return {
    take(bytes) {
      if (bytes > left) return false;
      left -= bytes;
      return true;
    },
    free(bytes) {
      left += bytes;
    },
  };
}

/**
 * Collects the bytes of a mail in reserved memory and calls `use` with these bytes. Then releases the memory. A mail
 * that is too large, or exceeds the budget, is read to its end, as SMTP requires, but discarded. Rejects with an {@link
 * SmtpReply} for such a mail, and if the stream breaks off.
 */
async function withMail<Result>(
  stream: SMTPServerDataStream,
  room: MailRoom,
  use: (raw: Uint8Array) => Promise<Result>,
): Promise<Result> {
  const pieces: Uint8Array[] = [];
  let taken = 0;
  const keep = (piece: Uint8Array): boolean => {
    if (stream.sizeExceeded || !room.take(piece.byteLength)) return false;
    taken += piece.byteLength;
    pieces.push(piece);
    return true;
  };
  try {
    const isWhole = await collect(stream, keep);
    if (stream.sizeExceeded) throw new SmtpReply(552, 'The message is too large');
    if (!isWhole) throw new SmtpReply(452, 'Too many messages are being received, try again');
    return await use(Buffer.concat(pieces.splice(0)));
  } finally {
    room.free(taken);
  }
}

/**
 * Passes the pieces of a mail to `keep` until `keep` returns false, and reads the mail to its end. Returns whether all
 * pieces were kept; rejects with an SmtpReply if the stream breaks off.
 */
async function collect(stream: SMTPServerDataStream, keep: (piece: Uint8Array) => boolean): Promise<boolean> {
  let isWhole = true;
  try {
    for await (const piece of stream) if (isWhole && piece instanceof Uint8Array) isWhole = keep(piece);
    return isWhole;
  } catch (error) {
    // The sender has disconnected and reads no response; nothing is stored.
    throw new SmtpReply(451, `The message broke off: ${error instanceof Error ? error.message : 'no end was sent'}`);
  }
}

/** A rejection: an RFC 5321 code with a line of text. */
class SmtpReply extends Error {
  override readonly name = 'SmtpReply';
  /** SMTP code of the response. 4xx means that the sender may retry, 5xx that it must not. */
  readonly responseCode: number;

  constructor(responseCode: number, message: string) {
    super(message);
    this.responseCode = responseCode;
  }
}
