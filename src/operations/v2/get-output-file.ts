import { isProblem, problem } from '#contract/problems.ts';
import type { Operation } from '../operation.ts';
import type { Caller } from '../common/caller.ts';
import type { StoredFile } from '#store/files.ts';
import { findTaskOr404 } from './find-task.ts';
import { renderFile } from './render-file.ts';

/** GET /files/tasks/{task_id}/output-files/{file_id} (companion 5.1). */
export const getOutputFile: Operation<Caller, StoredFile, StoredFile> = {
  async decide(request, caller) {
    const found = await findTaskOr404(request, caller);
    if (isProblem(found)) return found;
    const id = (request.path['file_id'] ?? '').toLowerCase();
    const made = await caller.workspaces.filesOfRun(found.run.id);
    return made.find((file) => file.id === id) ?? problem('output_file_not_found', {});
  },
  apply: async (file) => file,
  render: (file, { addresses }) => ({
    status: 200,
    body: { ...renderFile(file), downloadUrl: addresses.file(file.id) },
  }),
};
