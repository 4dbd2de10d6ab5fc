import { type Socket, connect } from 'node:net';

/** A received HTTP response. */
export interface RawAnswer {
  readonly status: number;
  /** Header names are in lower case. */
  readonly headers: ReadonlyMap<string, string>;
  readonly body: string;
}

/** Opens a connection to an address such as http://127.0.0.1:8080. */
export async function openSocket(address: string): Promise<Socket> {
  const { hostname, port } = new URL(address);
  const socket = connect({ host: hostname, port: Number(port) });
  await new Promise<void>((resolve, reject) => socket.once('connect', resolve).once('error', reject));
  return socket;
}

/** Sends bytes unchanged and reads until the server closes the connection. Resolves to null without a response. */
export async function sendRaw(address: string, bytes: string | Buffer): Promise<RawAnswer | null> {
  const socket = await openSocket(address);
  socket.write(bytes);
  return readAnswer(socket);
}

/** Reads the response on a connection until the server closes it. Resolves to null without a response. */
export async function readAnswer(socket: Socket): Promise<RawAnswer | null> {
  const chunks: Buffer[] = [];
  socket.on('data', (chunk: Buffer) => chunks.push(chunk));
  // After a cut connection, the bytes received before still count.
  socket.on('error', () => socket.destroy());
  await new Promise<void>((resolve) => socket.once('close', () => resolve()));
  const [head = '', ...rest] = Buffer.concat(chunks).toString('latin1').split('\r\n\r\n');
  if (head === '') return null;
  const [first = '', ...lines] = head.split('\r\n');
  const headers = lines.map((line): [string, string] => {
    const at = line.indexOf(':');
    return [line.slice(0, at).toLowerCase(), line.slice(at + 1).trim()];
  });
  return { status: Number(first.split(' ')[1]), headers: new Map(headers), body: rest.join('\r\n\r\n') };
}
