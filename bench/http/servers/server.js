// The type of a server in the HTTP part. Each module's default export is a `BenchServer`.

/**
 * @typedef {object} BenchServer
 * @property {string} name
 * @property {string} version
 * @property {(data: import('../../data.js').BenchData) => Promise<number>} start resolves to its
 * port
 * @property {(id: number) => string} onePath the path of one employee
 * @property {(low: number, high: number) => string} pagePath
 *           employees with a salary in that range, ends included: their count, and 100 of them
 * @property {(values: Note) => { path: string, body: string }} post stores a note of 1 KB and
 * returns it
 * @property {(body: any) => { ID: number, email: string }} readOne reads the JSON of a response
 * @property {(body: any, headers: Headers) => Page} readPage
 * @property {(body: any) => Note} readNote
 * @property {boolean} [isPrepared]   its responses are fixed and not compared with the data
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
