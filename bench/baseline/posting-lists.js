/**
 * The records of every code in one array, in record order: code c has `starts[c]` to
 * `starts[c + 1]`.
 * @typedef {object} PostingLists
 * @property {Int32Array} starts
 * @property {Int32Array} records
 */

/**
 * @param {ArrayLike<number>} codes   by record number
 * @param {number} recordCount
 * @param {number} codeCount          codes are 0 to codeCount - 1
 * @returns {PostingLists}
 */
export function buildPostingLists(codes, recordCount, codeCount) {
  const starts = new Int32Array(codeCount + 1)
  for (let record = 0; record < recordCount; record++) starts[codes[record] + 1]++
  for (let code = 0; code < codeCount; code++) starts[code + 1] += starts[code]

  const next = starts.slice()
  const records = new Int32Array(recordCount)
  for (let record = 0; record < recordCount; record++) records[next[codes[record]]++] = record
  return { starts, records }
}
