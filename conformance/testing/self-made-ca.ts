import { type KeyObject, createSign, generateKeyPairSync } from 'node:crypto';

/** A certificate authority that no client trusts, and a server certificate that it has issued; both in PEM. */
export interface SelfMadeCa {
  ca: string;
  key: string;
  cert: string;
}

/** Creates a new authority and certificate, for a host name and 127.0.0.1. */
export function makeSelfMadeCa(host: string): SelfMadeCa {
  const [issuer, server] = [newKeys(), newKeys()];
  const [authority, subject] = ['svc test authority', host];
  const basic = extension('551d13', sequence(der(0x01, Buffer.from([0xff]))), true);
  const names = sequence(der(0x82, Buffer.from(host)), der(0x87, Buffer.from([127, 0, 0, 1])));
  const by = { authority, signer: issuer.privateKey };
  return {
    ca: pem(certificate(by, { subject: authority, key: issuer.publicKey, extensions: basic })),
    key: server.privateKey.export({ type: 'pkcs8', format: 'pem' }).toString(),
    cert: pem(certificate(by, { subject, key: server.publicKey, extensions: extension('551d11', names, false) })),
  };
}

interface Signer {
  authority: string;
  signer: KeyObject;
}

interface Subject {
  subject: string;
  key: KeyObject;
  extensions: Buffer;
}

function newKeys(): { publicKey: KeyObject; privateKey: KeyObject } {
  return generateKeyPairSync('ec', { namedCurve: 'P-256' });
}

const ecdsaWithSha256 = sequence(oid('2a8648ce3d040302'));

// X.509 version 3 in DER, with only the fields that a TLS client requires.
function certificate({ authority, signer }: Signer, { subject, key, extensions }: Subject): Buffer {
  const validity = sequence(time('200101000000Z'), time('491231235959Z'));
  const body = sequence(
    der(0xa0, der(0x02, Buffer.from([2]))),
    der(0x02, Buffer.from(subject).subarray(0, 8)),
    ecdsaWithSha256,
    named(authority),
    validity,
    named(subject),
    key.export({ type: 'spki', format: 'der' }),
    der(0xa3, sequence(extensions)),
  );
  return sequence(body, ecdsaWithSha256, bits(createSign('sha256').update(body).sign(signer)));
}

function der(tag: number, content: Buffer): Buffer {
  return Buffer.concat([Buffer.from([tag, ...encodeLength(content.length)]), content]);
}

/** Returns a length below 65,536 in the encoding of DER: short, or after the number of its bytes. */
function encodeLength(length: number): number[] {
  if (length < 0x80) return [length];
  return length < 0x100 ? [0x81, length] : [0x82, length >> 8, length & 0xff];
}

function sequence(...parts: Buffer[]): Buffer {
  return der(0x30, Buffer.concat(parts));
}

function oid(hex: string): Buffer {
  return der(0x06, Buffer.from(hex, 'hex'));
}

function time(text: string): Buffer {
  return der(0x17, Buffer.from(text));
}

function bits(content: Buffer): Buffer {
  return der(0x03, Buffer.concat([Buffer.from([0]), content]));
}

function named(name: string): Buffer {
  return sequence(der(0x31, sequence(oid('550403'), der(0x0c, Buffer.from(name)))));
}

function extension(hex: string, content: Buffer, critical: boolean): Buffer {
  const flag = critical ? [der(0x01, Buffer.from([0xff]))] : [];
  return sequence(oid(hex), ...flag, der(0x04, content));
}

function pem(content: Buffer): string {
  const lines = content.toString('base64').match(/.{1,64}/g) ?? [];
  return `-----BEGIN CERTIFICATE-----\n${lines.join('\n')}\n-----END CERTIFICATE-----\n`;
}
