/** An element whose end is not known yet: what follows belongs to it until another element of its own level begins. */
export const UNKNOWN_SIZE = Buffer.from('01ffffffffffffff', 'hex');

/** A size of eight bytes: it can be written over when it is known, whatever it is. */
export function wideSize(size: number): Buffer {
  const bytes = Buffer.alloc(8);
  bytes.writeBigUInt64BE((1n << 56n) | BigInt(size));
  return bytes;
}

/** One EBML element (RFC 8794): the bytes of its id, its size and its content of less than 268 MB. */
export function element(id: number, ...content: readonly Uint8Array[]): Buffer {
  const body = Buffer.concat(content);
  return Buffer.concat([idBytes(id), sizeOf(body.length), body]);
}

/** An element that holds a whole number in `width` bytes, 1 to 6 included. */
export function uint(id: number, value: number, width: number): Buffer {
  const bytes = Buffer.alloc(width);
  bytes.writeUIntBE(value, 0, width);
  return element(id, bytes);
}

/** An element that holds a number of 64 bits with a fraction. */
export function double(id: number, value: number): Buffer {
  const bytes = Buffer.alloc(8);
  bytes.writeDoubleBE(value);
  return element(id, bytes);
}

/** An element that holds a text. */
export function text(id: number, value: string): Buffer {
  return element(id, Buffer.from(value));
}

/** Takes `length` bytes, 2 to 128 included, and means nothing. */
export function nothing(length: number): Buffer {
  return element(0xec, Buffer.alloc(length - 2));
}

/** An id is written as it stands: its first bits say how long it is. */
export function idBytes(id: number): Buffer {
  const hex = id.toString(16);
  return Buffer.from(hex.length % 2 === 0 ? hex : `0${hex}`, 'hex');
}

function sizeOf(size: number): Buffer {
  if (size < 0x7f) return Buffer.from([0x80 | size]);
  const bytes = Buffer.alloc(4);
  bytes.writeUInt32BE(0x1000_0000 + size);
  return bytes;
}
