import { Refusal } from '../api/refusal.ts';
import { wordsOf } from '../api/words-of.ts';

/** Sends a file to an address that was made for it. Rejects with a {@link Refusal}. */
export async function sendFile(path: string, file: File, contentType: string): Promise<void> {
  const response = await fetch(new URL(path, document.baseURI), {
    method: 'PUT',
    headers: { 'content-type': contentType },
    body: file,
  });
  if (response.ok) return;
  const text = await response.text();
  throw new Refusal(response.status, wordsOf(response.status, text.startsWith('{') ? JSON.parse(text) : null));
}
