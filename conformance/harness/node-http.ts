/**
 * What the suite uses of `node:http`. Asked for like this because an import reads every member of a module of Node, and one of this brings the whole client
 * behind `fetch`, which hardly any run needs.
 */
export const { createServer, request } = process.getBuiltinModule('node:http');
