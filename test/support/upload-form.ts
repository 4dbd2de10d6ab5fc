import type { JsonObject } from '#lib/json.ts';
import type { ApiClient } from './api-client.ts';

/** An upload form as the service issues it. */
export interface Form {
  readonly url: string;
  readonly fields: Readonly<Record<string, string>>;
  readonly fileName: string;
  readonly expiresIn: number;
}

/** Members in which an upload form differs from the default: a form for one text file of three bytes. */
interface FormWanted {
  readonly of?: 'sessions' | 'browsers';
  readonly fileName?: string;
  readonly contentType?: string;
  readonly sizeBytes?: number;
}

/**
 * Requests an upload form for a text file of a V2 session or a standalone browser. Throws if the service refuses the
 * request.
 */
export async function formFor(v2: ApiClient, id: string, { of = 'sessions', ...file }: FormWanted = {}): Promise<Form> {
  const body = { fileName: 'notes.txt', contentType: 'text/plain', sizeBytes: 3, ...file };
  const answer = await v2.call('POST', `/files/${of}/${id}/presigned-url`, body);
  if (answer.status !== 200) throw new Error(`no form: ${JSON.stringify(answer)}`);
  // The service has checked the answer against its schema.
  return answer.body as unknown as Form;
}

/** Sends an upload form with its file, as a browser or a script would. */
export async function sendForm(
  { url, fields }: Pick<Form, 'url' | 'fields'>,
  bytes: string | Uint8Array<ArrayBuffer>,
  partType = 'text/plain',
): Promise<{ status: number; body: JsonObject }> {
  const form = new FormData();
  for (const [name, value] of Object.entries(fields)) form.append(name, value);
  form.append('file', new Blob([bytes], { type: partType }), 'whatever the client calls it');
  const response = await fetch(url, { method: 'POST', body: form });
  return { status: response.status, body: (await response.json()) as JsonObject };
}
