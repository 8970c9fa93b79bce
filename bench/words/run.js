/**
 * Searches for words over documents of 40 words: Entia with an index of words, SQLite's FTS5 in
 * memory, minisearch and orama, in one process. Every answer is compared with the others before it
 * is timed. `npm run bench:words -- --documents 100000`; needs `npm ci --prefix bench/peers`. With
 * `--postgres postgres://…`: over PostgreSQL, with an index of words and without.
 */
import { createRequire } from 'node:module'
import { attribute, createDataStore, defineDataClass } from '@entia/core'
import {
  COUNT,
  common,
  documents,
  frequent,
  postgres,
  prefix,
  SEARCHES,
  timed,
  updates,
} from './documents.js'

if (postgres !== '') {
  const { measure } = await import('./postgres.js')
  await measure(postgres)
  process.exit(0)
}

function entia() {
  const Doc = defineDataClass('Doc', {
    ID: attribute.long({ key: true }),
    body: attribute.string({ words: true }),
  })
  const store = createDataStore({ name: 'words', dataClasses: [Doc], history: { commits: 100 } })
  return {
    name: 'entia',
    load: () => store.Doc.load(documents),
    update: ({ ID, body }) => store.Doc.update(ID, { body }),
    count: (words) => store.Doc.query('body % :1', [words.join(' ')]).count,
    page: (words) =>
      store.Doc.query('body % :1', [words.join(' ')])
        .slice(0, 20)
        .toArray()
        .map(({ ID }) => ID),
    ranked: (words) =>
      store.Doc.query('body % :1 order by relevance desc', [words.join(' ')])
        .slice(0, 20)
        .toArray()
        .map(({ ID }) => ID),
  }
}

function fts5(require) {
  const Database = require('better-sqlite3')
  const db = new Database(':memory:')
  db.exec("CREATE VIRTUAL TABLE doc USING fts5(body, prefix='2 3', tokenize='unicode61')")
  const insert = db.prepare('INSERT INTO doc (rowid, body) VALUES (?, ?)')
  const update = db.prepare('UPDATE doc SET body = ? WHERE rowid = ?')
  const count = db.prepare('SELECT count(*) AS n FROM doc WHERE doc MATCH ?')
  const page = db.prepare('SELECT rowid, body FROM doc WHERE doc MATCH ? ORDER BY rowid LIMIT 20')
  const ranked = db.prepare('SELECT rowid, body FROM doc WHERE doc MATCH ? ORDER BY rank LIMIT 20')
  const ids = (rows) => rows.map(({ rowid }) => rowid)
  return {
    name: 'sqlite fts5',
    load: () =>
      db.transaction(() => {
        for (const { ID, body } of documents) insert.run(ID, body)
      })(),
    update: ({ ID, body }) => update.run(body, ID),
    count: (words) => count.get(words.join(' ')).n,
    page: (words) => ids(page.all(words.join(' '))),
    ranked: (words) => ids(ranked.all(words.join(' '))),
  }
}

function minisearch(require) {
  const MiniSearch = require('minisearch')
  const mini = new (MiniSearch.default ?? MiniSearch)({ idField: 'ID', fields: ['body'] })
  const found = (words) => {
    const isPrefix = words.some((word) => word.endsWith('*'))
    const text = words.join(' ').replaceAll('*', '')
    return mini.search(text, { combineWith: 'AND', prefix: isPrefix }).map(({ id }) => id)
  }
  return {
    name: 'minisearch',
    load: () => mini.addAll(documents),
    update: (document) => {
      mini.discard(document.ID)
      mini.add(document)
    },
    count: (words) => found(words).length,
    page: (words) =>
      found(words)
        .sort((a, b) => a - b)
        .slice(0, 20),
    ranked: (words) => found(words).slice(0, 20),
  }
}

async function orama() {
  const { create, insertMultiple, search, update } = await import(
    new URL('../peers/node_modules/@orama/orama/dist/esm/index.js', import.meta.url).href
  )
  const db = create({ schema: { body: 'string' } })
  const rows = documents.map(({ ID, body }) => ({ id: String(ID), body }))
  const found = async (words) => {
    const term = words.join(' ').replaceAll('*', '')
    const exact = !words.some((word) => word.endsWith('*'))
    return search(db, { term, limit: 20, threshold: 0, exact })
  }
  return {
    name: 'orama',
    load: () => insertMultiple(db, rows, 1000),
    update: ({ ID, body }) => update(db, String(ID), { id: String(ID), body }),
    count: async (words) => (await found(words)).count,
    // Its pages are always by score.
    page: null,
    ranked: async (words) => (await found(words)).hits.map(({ id }) => Number(id)),
  }
}

const require = createRequire(new URL('../peers/package.json', import.meta.url))
const makers = [entia, () => fts5(require), () => minisearch(require), orama]
const subjects = []
for (const make of makers) {
  try {
    subjects.push(await make())
  } catch (error) {
    console.log(`left out: ${error.message.split('\n')[0]}`)
  }
}

const results = new Map()
const note = (row, subject, milliseconds) => {
  if (!results.has(row)) results.set(row, new Map())
  results.get(row).set(subject.name, milliseconds)
}
for (const subject of subjects) {
  globalThis.gc?.()
  const start = performance.now()
  await subject.load()
  note(`load of ${COUNT} documents`, subject, performance.now() - start)
}
for (const subject of subjects) {
  const start = performance.now()
  for (const document of updates) await subject.update(document)
  note('update of one document', subject, (performance.now() - start) / updates.length)
}
for (const [row, words] of Object.entries(SEARCHES)) {
  const expected = await subjects[0].count(words)
  for (const subject of subjects) {
    const found = await subject.count(words)
    if (found !== expected) console.log(`${subject.name}, ${row}: ${found}, not ${expected}`)
    note(`${row} (${expected})`, subject, await timed(() => subject.count(words)))
  }
}
for (const [row, words] of [
  ['page of 20: two words', [frequent, common]],
  ['page of 20: a frequent word', [frequent]],
  ['page of 20: a prefix', [`${prefix}*`]],
]) {
  const expected = JSON.stringify(subjects[0].page(words))
  for (const subject of subjects) {
    if (subject.page === null) continue
    if (JSON.stringify(await subject.page(words)) !== expected)
      console.log(`${subject.name}, ${row}: another page`)
    note(row, subject, await timed(() => subject.page(words)))
  }
}
for (const subject of subjects) {
  const words = [frequent, common]
  note('best 20 of two words', subject, await timed(() => subject.ranked(words)))
}

const names = subjects.map(({ name }) => name)
console.log(`\n| milliseconds | ${names.join(' | ')} | fts5 / entia |`)
console.log(`|---|${names.map(() => '--:').join('|')}|--:|`)
for (const [row, times] of results) {
  const cells = names.map((name) => (times.has(name) ? times.get(name).toPrecision(3) : '–'))
  const ratio = (times.get('sqlite fts5') ?? Number.NaN) / times.get('entia')
  console.log(`| ${row} | ${cells.join(' | ')} | ${ratio.toFixed(2)} |`)
}
