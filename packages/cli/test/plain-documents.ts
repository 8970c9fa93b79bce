import { readFile, writeFile } from 'node:fs/promises'
import { createRestHandler } from '@entia/rest'
import fc from 'fast-check'
import { openPlain } from '../src/plain/open-plain.ts'
import { SavedFile } from '../src/plain/save-file.ts'

/** Names that JavaScript gives to members of objects, and names that stand for these. */
const BUILT_IN = ['constructor', 'prototype', 'toString', 'hasOwnProperty', '_constructor']
const ODD = ['a b', '1', '', 'ID', 'key', 'stamp', 'otherMembers', 'öß', 'title', 'views']
const name = fc.constantFrom(...ODD, ...BUILT_IN)
const value = fc.oneof(
  fc.constantFrom(null, true, false, 0, -1.5, 1e21, -1e308, 5e-324, 2 ** 53, -(2 ** 31)),
  fc.constantFrom('', 'null', 'true', '1', '2024-01-31', '2024-01-31T10:00:00.000Z', [], {}),
  fc.string(),
  fc.integer(),
  fc.dictionary(name, fc.oneof(fc.string(), fc.constantFrom(null, { prototype: [1] })), {
    maxKeys: 3,
  }),
  fc.array(fc.dictionary(name, fc.integer(), { maxKeys: 2 }), { maxLength: 2 }),
)
export const id = fc.oneof(
  fc.integer({ min: 1, max: 9 }),
  fc.constantFrom<string | number>(
    '1',
    'a',
    'B',
    '1.5',
    2.5,
    0,
    -3,
    2 ** 31 - 1,
    2 ** 31,
    2 ** 40,
    2 ** 60,
    1e300,
  ),
  fc.constantFrom('.', '..', '~~2E', 'a/b', ' ', '%2e', "'", '"', '?', '#', '(1)', '\\', 'ö', '😀'),
  fc.constantFrom('__proto__', 'constructor', 'toString', '$all', 'null', 'true', '01', '+1', '-0'),
)
export type Row = Record<string, unknown>
export const members: fc.Arbitrary<Row> = fc.dictionary(name, value, { maxKeys: 5 })
/** Objects keep the order in which their members were added. */
const shuffled = (row: Row): fc.Arbitrary<Row> =>
  fc
    .shuffledSubarray(Object.entries(row), { minLength: Object.keys(row).length })
    .map((entries) => Object.fromEntries(entries))
const rows: fc.Arbitrary<Row[]> = fc
  .uniqueArray(id, { selector: String, maxLength: 6 })
  .chain((ids) => fc.tuple(...ids.map((id) => members.chain((more) => shuffled({ id, ...more })))))
export const database = fc
  .record({
    posts: rows,
    comments: fc
      .tuple(rows, fc.array(fc.oneof(id, fc.constant(null)), { minLength: 6, maxLength: 6 }))
      .map(([list, ids]) => list.map((row, at) => ({ ...row, postId: ids[at] }))),
    toString: rows,
    profile: members,
  })
  .map((content) => JSON.parse(JSON.stringify(content)) as typeof content)

/** Serves a `db.json` as `entia serve --plain --save` does, after writing the content to it. */
export async function serve(file: string, content?: unknown) {
  if (content !== undefined) await writeFile(file, JSON.stringify(content))
  const { store, model, text } = await openPlain(file)
  const { handle } = createRestHandler(store, { plain: { resources: model.resources } })
  const saved = new SavedFile(file, store, model.resources, text)
  return {
    model,
    /** What the file contains. */
    read: async (): Promise<unknown> => JSON.parse(await readFile(file, 'utf8')),
    send: async (method: string, url: string, row?: object | string) => {
      const { status, body, headers } = await handle({
        method,
        url,
        ...(row && { body: typeof row === 'string' ? row : JSON.stringify(row) }),
      })
      await saved.flush()
      return { status, body: JSON.parse(String(body)) as Row, headers }
    },
    close: () => store.close(),
  }
}
