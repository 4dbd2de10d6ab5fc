/*
 * What was said in a session: the tasks, the steps and the final outputs as one list that only grows. A view of what the engine
 * writes down anyway (runs, steps, events); nothing is stored for it. Called by the operations of a generation. Must not know
 * how a generation shows a message.
 */
export { createMessages, type Message, type Messages } from './create-messages.ts';
export { eventOfMessage } from './message-id.ts';
