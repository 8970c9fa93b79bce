// The shape of a server that the HTTP part measures. One module per server; its default export is a `BenchServer`.

/**
 * @typedef {object} BenchServer
 * @property {string} name
 * @property {string} version
 * @property {(data: import('../../data.js').BenchData) => Promise<number>} start   answers the port that it listens at
 * @property {(id: number) => string} onePath                                      of one employee
 * @property {(low: number, high: number) => string} pagePath
 *           employees with a salary in that range, ends included: how many there are, and 100 of them
 * @property {(values: Note) => { path: string, body: string }} post               stores a note of 1 KB, and answers it
 * @property {(body: any) => { ID: number, email: string }} readOne                what the JSON of an answer says
 * @property {(body: any, headers: Headers) => Page} readPage
 * @property {(body: any) => Note} readNote
 * @property {boolean} [isPrepared]   its answers are always the same: they are not compared with the data
 *
 * @typedef {object} Page
 * @property {number} count
 * @property {readonly { ID: number, email: string }[]} entities
 *
 * @typedef {object} Note
 * @property {string} title
 * @property {string} author
 * @property {boolean} pinned
 * @property {number} rank
 * @property {string} text
 */

export {}
