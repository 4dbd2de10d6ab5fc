import { type Exchange, succeeded } from '../core/exchange.ts';
import { type JsonObject, isJsonObject, memberAt, toText } from '../core/json.ts';
import type { OperationKey } from '../core/operations.ts';
import { NotTestable } from '../core/outcome.ts';
import type { ScenarioContext } from '../core/scenario.ts';
import { createText } from '../core/text.ts';
import { alterText } from './signed-urls.ts';
import { byteLength } from './workspace-files.ts';

/** A file to send with a form. */
export interface FormFile {
  fileName: string;
  contentType: string;
  text: string;
}

/** An upload form as the target issued it. */
export interface UploadForm {
  asked: Exchange;
  address: string;
  fields: Readonly<Record<string, string>>;
  /** File name under which a task finds the file. */
  fileName: string;
}

/**
 * Upload forms of one session and the attempts to use them: faulty and correct uploads, and invalid requests for a
 * form.
 */
export interface FormLife {
  file: FormFile;
  form: UploadForm;
  /** Uploads in which one field is missing. `changed` has uploads in which one field has another value. */
  missing: FormTry[];
  changed: FormTry[];
  /** Uploads with fewer and with more bytes than declared. */
  sizes: FormTry[];
  /** Response to an upload without a fault. */
  stored: Exchange;
  /** Requests for forms with values out of bounds. */
  refused: FormTry[];
  unlisted: Exchange;
}

/** Description of a faulty upload or of a faulty request for a form, and the response to it. */
export interface FormTry {
  what: string;
  exchange: Exchange;
}

/** The operations that issue forms. */
export type FormKey = Extract<OperationKey, 'v2.createSessionUpload' | 'v2.createBrowserUpload'>;

/** Requests an upload form for a file. A refused request results in a form without URL and fields. */
export async function askForm(
  context: ScenarioContext,
  [key, id]: readonly [FormKey, string],
  file: FormFile,
): Promise<UploadForm> {
  const { fileName, contentType, text } = file;
  const body = { fileName, contentType, sizeBytes: byteLength(text) };
  return readUploadForm(await context.operations.call(key, { path: [id], body }));
}

/** Sends a form: every field, then the file. Throws NotTestable if the form has no valid URL. */
export async function sendForm(
  { send }: ScenarioContext,
  { address, fields }: UploadForm,
  file: FormFile,
): Promise<Exchange> {
  if (!URL.canParse(address)) throw new NotTestable('no address for a form was handed out');
  const headers = { 'content-type': `multipart/form-data; boundary=${boundary}` };
  const rawBody = encode(fields, file);
  return send({
    generation: 'other',
    operation: 'sendForm',
    method: 'POST',
    path: address,
    key: 'none',
    rawBody,
    headers,
  });
}

/** Fixed boundary, so that repeated runs send the same bytes. No field and no file of the suite contains it. */
const boundary = '----svc-check-form-boundary';

function encode(fields: Readonly<Record<string, string>>, file: FormFile): string {
  const parts = Object.entries(fields).map(([name, value]) => part(`name="${quoted(name)}"`, value));
  const opening = `name="file"; filename="${quoted(file.fileName)}"\r\nContent-Type: ${file.contentType}`;
  return `${[...parts, part(opening, file.text)].join('')}--${boundary}--\r\n`;
}

function part(disposition: string, value: string): string {
  return `--${boundary}\r\nContent-Disposition: form-data; ${disposition}\r\n\r\n${value}\r\n`;
}

/** Encodes quotation marks and line breaks, as HTML requires in form names. */
function quoted(text: string): string {
  return text.replaceAll('"', '%22').replaceAll('\r', '%0D').replaceAll('\n', '%0A');
}

/** Sends forms of a session with each fault, then a correct form, and then invalid requests for forms. */
export async function driveForms(context: ScenarioContext, id: string, file: FormFile): Promise<FormLife> {
  const ask = (): Promise<UploadForm> => askForm(context, ['v2.createSessionUpload', id], file);
  const form = await ask();
  const names = Object.keys(form.fields);
  // A form accepts one file, so each change uses a form that has accepted none.
  const trials = async (
    what: (name: string) => string,
    change: (form: UploadForm, name: string) => UploadForm,
  ): Promise<FormTry[]> => {
    const tried: FormTry[] = [];
    for (const name of names) {
      const exchange = await sendForm(context, change(await ask(), name), file);
      tried.push({ what: what(name), exchange });
    }
    return tried;
  };
  return {
    file,
    form,
    missing: await trials((name) => `the field ${name}`, without),
    changed: await trials((name) => `another ${name}`, altered),
    sizes: await sendSizes(context, ask, file),
    stored: await sendForm(context, form, file),
    ...(await askWrongly(context, id)),
  };
}

function without(form: UploadForm, name: string): UploadForm {
  return { ...form, fields: Object.fromEntries(Object.entries(form.fields).filter(([field]) => field !== name)) };
}

function altered(form: UploadForm, name: string): UploadForm {
  return { ...form, fields: { ...form.fields, [name]: alterText(form.fields[name] ?? '') } };
}

async function sendSizes(context: ScenarioContext, ask: () => Promise<UploadForm>, file: FormFile): Promise<FormTry[]> {
  const texts = { 'fewer bytes': file.text.slice(1), 'more bytes': `${file.text}.` };
  const tried: FormTry[] = [];
  for (const [what, text] of Object.entries(texts)) {
    const form = await ask();
    tried.push({ what, exchange: await sendForm(context, form, { ...file, text }) });
  }
  return tried;
}

async function askWrongly(context: ScenarioContext, id: string): Promise<Pick<FormLife, 'refused' | 'unlisted'>> {
  const call = (body: JsonObject): Promise<Exchange> =>
    context.operations.call('v2.createSessionUpload', { path: [id], body, invalid: true });
  const right = { fileName: 'svc-check.txt', contentType: 'text/plain', sizeBytes: 1 };
  const bodies: Record<string, JsonObject> = {
    'an empty name': { ...right, fileName: '' },
    'a name of 256 characters': { ...right, fileName: createText(256) },
    'a size of 0': { ...right, sizeBytes: 0 },
    'more than 10 MiB': { ...right, sizeBytes: 10_485_761 },
  };
  const refused: FormTry[] = [];
  for (const [what, body] of Object.entries(bodies)) refused.push({ what, exchange: await call(body) });
  return { refused, unlisted: await call({ ...right, contentType: 'application/x-svc-check' }) };
}

function readUploadForm(asked: Exchange): UploadForm {
  const fields = succeeded(asked) ? memberAt(asked.json, 'fields') : undefined;
  const entries = isJsonObject(fields) ? Object.entries(fields) : [];
  return {
    asked,
    address: toText(memberAt(asked.json, 'url')),
    fields: Object.fromEntries(entries.map(([name, value]) => [name, toText(value)])),
    fileName: toText(memberAt(asked.json, 'fileName')),
  };
}
