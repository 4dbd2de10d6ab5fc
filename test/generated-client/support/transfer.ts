import { expect } from 'vitest';

/** Sends a text to a signed upload address, as its type says. */
export async function send(address: string, text: string, contentType = 'text/plain'): Promise<void> {
  const { status } = await fetch(address, { method: 'PUT', headers: { 'Content-Type': contentType }, body: text });
  expect(status).toBe(200);
}

/** Reads the text behind a signed download address. */
export async function download(address: string | null | undefined): Promise<string> {
  const response = await fetch(String(address));
  expect(response.status).toBe(200);
  return response.text();
}
