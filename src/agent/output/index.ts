/*
 * What a task gives back, made with a model: text, data of a schema, a program and its result; also its title, a second
 * opinion on it, and the tool that runs programs. Called by the agent's loop and by the engine, with a door to the model and the
 * agent's own world. Programs and schemas come from outside and run in processes of their own, which cannot stop the service.
 * Must not know what a session is, nor book or write down anything.
 */
export { askForJudgement, type JudgedWork, type Judgement } from './ask-for-judgement.ts';
export { askForTitle } from '../title.ts';
export { type Finished, finishTask } from './finish-task.ts';
export type { Finishing } from './ask-for-text.ts';
export type { ProgramBounds, ProgramWorld } from './program/program-calls.ts';
export { RUN_CODE_TOOL } from './program/run-code-tool.ts';
export type { ProgramResult } from './program/run-program.ts';
