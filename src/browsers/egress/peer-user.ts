import { readFile } from 'node:fs/promises';
import { endianness } from 'node:os';
import type { Socket } from 'node:net';

/** What {@link peerUser} answers on systems that do not tell. */
export const UNKNOWN_HERE = 'unknown';

/** The kernel's table of TCP sockets of IPv4, one line each. */
const TABLE = '/proc/net/tcp';

/**
 * Answers the number of the user that opened the other end of a connection over loopback (IPv4), null when the kernel knows no such
 * socket: it is closed already, or is one of IPv6, which no Chromium opens for 127.0.0.1. Systems without the table (not Linux) tell nothing.
 */
export async function peerUser(socket: Socket): Promise<number | typeof UNKNOWN_HERE | null> {
  const { remoteAddress = '', remotePort = 0, localAddress = '', localPort = 0 } = socket;
  if (process.platform !== 'linux') return UNKNOWN_HERE;
  const ends = `${inTable(remoteAddress, remotePort)} ${inTable(localAddress, localPort)} `;
  const table = await readFile(TABLE, 'latin1');
  const start = table.indexOf(ends);
  if (start === -1) return null;
  // After both ends: state, queues, timer, retransmissions, user.
  const [, , , , user] = table
    .slice(start + ends.length, table.indexOf('\n', start))
    .trim()
    .split(/ +/, 5);
  return user === undefined ? null : Number(user);
}

/** An address and port as the table writes them: hexadecimal, the address in the byte order of the machine. */
function inTable(address: string, port: number): string {
  const bytes = address.split('.').map((byte) => Number(byte).toString(16).padStart(2, '0'));
  const word = (endianness() === 'LE' ? bytes.toReversed() : bytes).join('');
  return `${word}:${port.toString(16).padStart(4, '0')}`.toUpperCase();
}
