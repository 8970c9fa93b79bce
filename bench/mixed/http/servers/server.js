// The type of a server in the web mix over HTTP. Each module's default export is a `MixServer`.

/**
 * @typedef {object} MixServer
 * @property {string} name
 * @property {string} version
 * @property {(data: import('../../../data.js').BenchData) => Promise<number>} start resolves to its
 * port
 * @property {(operation: import('../../mixes/mix.js').Operation) => MixRequest} request
 * @property {(operation: import('../../mixes/mix.js').Operation, body: any) => unknown} read
 *           converts the JSON of a response to the answer of a subject of the mix
 * @property {string} countPath                        the path of the number of employees
 * @property {(body: any) => number} readCount
 *
 * @typedef {object} MixRequest
 * @property {'GET' | 'POST' | 'PATCH' | 'DELETE'} method
 * @property {string} path
 * @property {string} [body]    JSON
 */

export {}
