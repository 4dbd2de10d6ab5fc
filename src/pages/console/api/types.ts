import type { components as v2 } from '../../../../generated/v2.ts';
import type { components as v3 } from '../../../../generated/v3.ts';
import type { components as v4 } from '../../../../generated/v4.ts';

type V2 = v2['schemas'];
type V3 = v3['schemas'];
type V4 = v4['schemas'];

/** A V4 session. */
export type SessionInfo = V4['SessionInfo'];
/** A page of V4 sessions. */
export type SessionInfoList = V4['SessionInfoList'];
/** A V4 run. */
export type Run = V4['Run'];
/** A page of V4 runs. */
export type RunList = V4['RunList'];
/** Response to a new V4 run. */
export type RunCreated = V4['RunCreated'];
/** An event of a V4 run. */
export type RunEvent = V4['RunEvent'];
/** A page of events. */
export type RunEventList = V4['RunEventList'];
/** Messages that wait in the queue of a session. */
export type MessageQueue = V4['MessageQueue'];
/** A browser in a list. */
export type Browser = V4['Browser'];
/** A page of browsers. */
export type BrowserList = V4['BrowserList'];
/** A single browser. */
export type BrowserDetail = V4['BrowserDetail'] & V4['Browser'];
/** Files that a browser has downloaded. */
export type BrowserDownloadList = V4['BrowserDownloadList'];
/** A profile. */
export type Profile = V4['Profile'];
/** A page of profiles. */
export type ProfileList = V4['ProfileList'];
/** A workspace. */
export type Workspace = V4['Workspace'];
/** Used and allowed size of a workspace. */
export type WorkspaceSize = V4['WorkspaceSize'];
/** Files of a workspace. */
export type WorkspaceFileList = V4['WorkspaceFileList'];
/** Upload URLs for files. */
export type UploadList = V4['UploadList'];
/** A V3 session. */
export type V3Session = V3['Session'];
/** A page of V3 sessions. */
export type V3SessionList = V3['SessionList'];
/** A message of a V3 session. */
export type V3Message = V3['Message'];
/** A page of messages of a V3 session. */
export type V3MessageList = V3['MessageList'];
/** A V2 session in a list. */
export type V2SessionItem = V2['SessionItem'];
/** A page of V2 sessions. */
export type V2SessionList = V2['SessionList'];
/** A single V2 session with its tasks. */
export type V2Session = V2['Session'] & V2['SessionItem'];
/** A V2 task in a list. */
export type V2TaskItem = V2['TaskItem'];
/** A page of V2 tasks. */
export type V2TaskList = V2['TaskList'];
/** A single V2 task with its steps. */
export type V2Task = V2['Task'] & V2['TaskItem'];
/** A step of a V2 task. */
export type V2Step = V2['TaskStep'];
/** Download URL of a file of a V2 task. */
export type V2OutputFileAddress = V2['OutputFileAddress'];
