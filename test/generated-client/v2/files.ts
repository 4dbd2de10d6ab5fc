import type { Client } from 'openapi-fetch';
import { expect } from 'vitest';
import type { components, paths } from '#generated/v2.ts';
import { sendForm } from '../../support/upload-form.ts';
import { gone, ok, until } from '../support/answers.ts';
import { download } from '../support/transfer.ts';
import type { Script } from '../support/world.ts';

/** Uploads a file with a form to a session, and reads a file that a task creates from it. */
export const files: Script = async (world) => {
  const api = world.connect<paths>();
  const { id: sessionId } = await ok(api.POST('/sessions', { body: {} }));
  const params = { path: { session_id: sessionId } };
  await run(api, { task: 'Say ready', sessionId });
  const form = await ok(
    api.POST('/files/sessions/{session_id}/presigned-url', {
      params,
      body: { fileName: 'in/notes.txt', contentType: 'text/plain', sizeBytes: 5 },
    }),
  );
  expect(await sendForm(form, 'pears')).toMatchObject({ status: 200 });

  // The session is idle, so the task begins at its creation, and the link to its log is valid at once.
  const task = await run(api, { task: `Read the file ${form.fileName} and save it as out/copy.txt`, sessionId });
  expect(task).toMatchObject({ isSuccess: true, outputFiles: [{ fileName: 'copy.txt' }] });
  const path = { task_id: task.id, file_id: String(task.outputFiles[0]?.id) };
  const file = await ok(api.GET('/files/tasks/{task_id}/output-files/{file_id}', { params: { path } }));
  expect(await download(file.downloadUrl)).toBe('pears');
  await gone(api.DELETE('/sessions/{session_id}', { params }));
};

/** Runs a task to its end. */
async function run(
  api: Client<paths>,
  body: components['schemas']['CreateTask'],
): Promise<components['schemas']['Task']> {
  const { id } = await ok(api.POST('/tasks', { body }));
  const params = { path: { task_id: id } };
  return until(
    () => ok(api.GET('/tasks/{task_id}', { params })),
    ({ status }) => status === 'finished',
  );
}
