// The type of a server that several processes run over one database. Each module's default export
// is a `ClusterServer`.

/**
 * Where a server finds its data.
 * @typedef {object} Place
 * @property {string} database          the address of the PostgreSQL server
 * @property {string} schema            one schema per server and mix
 * @property {'office' | 'records'} family   of the mix
 * @property {string} applicationName   of every connection to the database
 * @property {number} connections       the size of a process's pool
 *
 * @typedef {object} ClusterServer
 * @property {string} name
 * @property {string} version
 * @property {(place: Place, data: object) => Promise<void>} load creates the schema and its tables
 * @property {(place: Place) => Promise<number>} start            resolves to its port
 * @property {(operation: import('../../mixed/mixes/mix.js').Operation) =>
 * import('../../mixed/http/servers/server.js').MixRequest} request   all kinds but `modify`, which
 * is a `read` and an `update`
 * @property {(operation: import('../../mixed/mixes/mix.js').Operation, body: any) => unknown} read
 *           converts the JSON of a response to the answer of a subject of the mix
 * @property {(body: any) => boolean} [hasFailed]   for servers that report errors with status 200
 */

export {}
