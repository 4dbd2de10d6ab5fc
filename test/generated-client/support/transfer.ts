import { expect } from 'vitest';

/** Uploads a text to a signed URL with the declared content type. */
export async function send(address: string, text: string, contentType = 'text/plain'): Promise<void> {
  const { status } = await fetch(address, { method: 'PUT', headers: { 'Content-Type': contentType }, body: text });
  expect(status).toBe(200);
}

/** Downloads a text from a signed URL. */
export async function download(address: string | null | undefined): Promise<string> {
  const response = await fetch(String(address));
  expect(response.status).toBe(200);
  return response.text();
}
