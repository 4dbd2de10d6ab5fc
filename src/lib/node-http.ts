/**
 * What the server uses of `node:http`. Asked for like this because an import reads every member of a module of Node, and one of this brings a
 * whole client, 40 ms of each start.
 */
export const { STATUS_CODES, createServer } = process.getBuiltinModule('node:http');
