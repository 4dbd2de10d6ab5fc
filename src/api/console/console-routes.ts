import { type OperationValidators, createValidators } from '../http/validators.ts';
import { consoleDocument } from './console-document.ts';
import type { ConsoleOperation } from './console-operation.ts';
import { changeProject } from './operations/change-project.ts';
import { getExamination, getReport, startExamination, stopExamination } from './operations/examination-operations.ts';
import { getCosts } from './operations/get-costs.ts';
import { createKey, listKeys, revokeKey } from './operations/key-operations.ts';
import { getLogin, logIn, logOut } from './operations/login-operations.ts';
import { listPictures, listRecordings } from './operations/picture-operations.ts';
import { listProjects, switchProject } from './operations/project-operations.ts';
import { getConsoleSession, listConsoleSessions } from './operations/task-operations.ts';
import { listProviderKeys, removeProviderKey, setProviderKey } from './operations/provider-key-operations.ts';

/** One address of the console with what answers it. */
export interface ConsoleRoute {
  readonly id: string;
  readonly method: string;
  readonly path: string;
  readonly operation: ConsoleOperation;
  readonly validators: OperationValidators;
}

/** Below this everything is the console's. */
export const consoleBase = '/console/api';

const rows: readonly (readonly [id: string, method: string, path: string, operation: ConsoleOperation])[] = [
  ['getLogin', 'GET', '/login', getLogin],
  ['logIn', 'POST', '/login', logIn],
  ['logOut', 'DELETE', '/login', logOut],
  ['switchProject', 'PUT', '/login/project', switchProject],
  ['listProjects', 'GET', '/projects', listProjects],
  ['changeProject', 'PATCH', '/project', changeProject],
  ['getCosts', 'GET', '/costs', getCosts],
  ['listKeys', 'GET', '/keys', listKeys],
  ['createKey', 'POST', '/keys', createKey],
  ['revokeKey', 'DELETE', '/keys/{key_id}', revokeKey],
  ['listProviderKeys', 'GET', '/provider-keys', listProviderKeys],
  ['setProviderKey', 'PUT', '/provider-keys/{provider}', setProviderKey],
  ['removeProviderKey', 'DELETE', '/provider-keys/{provider}', removeProviderKey],
  ['listConsoleSessions', 'GET', '/sessions', listConsoleSessions],
  ['getConsoleSession', 'GET', '/sessions/{session_id}', getConsoleSession],
  ['listPictures', 'GET', '/runs/{run_id}/pictures', listPictures],
  ['listRecordings', 'GET', '/sessions/{session_id}/recordings', listRecordings],
  ['getExamination', 'GET', '/examination', getExamination],
  ['startExamination', 'POST', '/examination', startExamination],
  ['stopExamination', 'DELETE', '/examination', stopExamination],
  ['getReport', 'GET', '/examination/report/{ticket}', getReport],
];

/** The addresses of the console, each with its schemas. */
export function consoleRoutes(costDaysMax: number): readonly ConsoleRoute[] {
  const validatorsOf = createValidators(consoleDocument(costDaysMax));
  return rows.map(([id, method, path, operation]) => ({
    id,
    method,
    path: `${consoleBase}${path}`,
    operation,
    validators: validatorsOf(method, path),
  }));
}
