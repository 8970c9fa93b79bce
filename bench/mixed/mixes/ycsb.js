import { pick, randomNumbers } from '../../data.js'
import { digest } from '../describe.js'
import { scrambled, zipfian } from '../draws.js'
import { RecordsReference } from '../reference/records.js'
import { fieldNames, fieldText, makeRecord, makeRecords, recordKey } from '../ycsb-data.js'
import { kindDraws } from './office-operations.js'

const seed = 47
const longestScan = 100

const recordText = (record) => `${record.key} ${fieldNames.map((name) => record[name]).join(' ')}`

function readRecord(record) {
  let sum = record.key.length
  for (let i = 0; i < fieldNames.length; i++) sum += record[fieldNames[i]].length
  return sum
}

function readRecords(records) {
  let sum = 0
  for (let i = 0; i < records.length; i++) sum += readRecord(records[i])
  return sum
}

const kinds = {
  read: { title: 'read, all ten fields', describe: recordText, read: readRecord },
  update: { title: 'update of one field', isWrite: true },
  insert: { title: 'insert', isWrite: true },
  scan: {
    title: `scan of 1 to ${longestScan} records by key`,
    describe: (records) => records.map(recordText).join('\n'),
    read: readRecords,
  },
  modify: {
    title: 'read, then update of one field',
    isWrite: true,
    describe: recordText,
    read: readRecord,
  },
}

/**
 * A workload of YCSB with its published proportions.
 * @param {string} letter
 * @param {string} title
 * @param {readonly (readonly [string, number])[]} shares   in percent
 * @param {{ isLatest?: boolean }} [options]                favours the latest records
 * @returns {import('./mix.js').Mix}
 */
function workload(letter, title, shares, { isLatest = false } = {}) {
  return {
    id: `ycsb-${letter}`,
    title: `YCSB ${letter.toUpperCase()}: ${title}`,
    family: 'records',
    kinds: new Map(shares.map(([kind, share]) => [kind, { ...kinds[kind], share }])),
    isReadOnly: shares.every(([kind]) => kinds[kind].isWrite !== true),
    makeData: makeRecords,
    operations: ({ count: loaded }) => {
      const random = randomNumbers(seed)
      const rank = zipfian(loaded)
      const kind = kindDraws(shares, random)
      let count = loaded
      const key = isLatest
        ? () => recordKey(count - 1 - rank(random))
        : () => recordKey(scrambled(rank(random)) % loaded)
      const make = {
        read: () => ({ kind: 'read', key: key() }),
        update: () => ({
          kind: 'update',
          key: key(),
          field: pick(random, fieldNames),
          value: fieldText(random),
        }),
        insert: () => ({ kind: 'insert', record: makeRecord(count++, random) }),
        scan: () => ({ kind: 'scan', key: key(), length: 1 + Math.floor(random() * longestScan) }),
        modify: () => ({
          kind: 'modify',
          key: key(),
          field: pick(random, fieldNames),
          suffix: fieldText(random).slice(0, 10),
        }),
      }
      return () => make[kind()]()
    },
    reference: (data) => new RecordsReference(data),
    digest: (records) => digest(records.map(recordText)),
  }
}

/** The core workloads of YCSB. */
export const ycsb = [
  workload('a', '50 % read, 50 % update, zipfian', [
    ['read', 50],
    ['update', 50],
  ]),
  workload('b', '95 % read, 5 % update, zipfian', [
    ['read', 95],
    ['update', 5],
  ]),
  workload('c', '100 % read, zipfian', [['read', 100]]),
  workload(
    'd',
    '95 % read of the latest, 5 % insert',
    [
      ['read', 95],
      ['insert', 5],
    ],
    { isLatest: true },
  ),
  workload('e', '95 % short scans, 5 % insert', [
    ['scan', 95],
    ['insert', 5],
  ]),
  workload('f', '50 % read, 50 % read-modify-write, zipfian', [
    ['read', 50],
    ['modify', 50],
  ]),
]
