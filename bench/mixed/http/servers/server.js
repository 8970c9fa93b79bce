// The shape of a server that the web mix is asked of over HTTP. One module per server; its default export is a `MixServer`.

/**
 * @typedef {object} MixServer
 * @property {string} name
 * @property {string} version
 * @property {(data: import('../../../data.js').BenchData) => Promise<number>} start   answers the port that it listens at
 * @property {(operation: import('../../mixes/mix.js').Operation) => MixRequest} request
 * @property {(operation: import('../../mixes/mix.js').Operation, body: any) => unknown} read
 *           what the JSON of an answer says, as a subject of the mix answers it
 * @property {string} countPath                        of the number of employees
 * @property {(body: any) => number} readCount
 *
 * @typedef {object} MixRequest
 * @property {'GET' | 'POST' | 'PATCH' | 'DELETE'} method
 * @property {string} path
 * @property {string} [body]    JSON
 */

export {}
