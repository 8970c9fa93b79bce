import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createRestHandler } from '@entia/rest'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { openPlain } from '../src/plain/open-plain.ts'

const numRuns = 60 * Number(process.env.ENTIA_RUNS ?? 1)

const ODD = [
  'a b',
  '1',
  '',
  'ID',
  'key',
  'stamp',
  'otherMembers',
  'öß',
  'title',
  'views',
  'toString',
]
const value = fc.oneof(
  fc.constantFrom(null, true, 0, -1.5, 1e21, '', 'null', '2024-01-01', [], {}),
  fc.string(),
  fc.integer(),
  fc.dictionary(fc.constantFrom(...ODD), fc.oneof(fc.string(), fc.constant(null)), { maxKeys: 3 }),
)
const id = fc.oneof(
  fc.integer({ min: 1, max: 9 }),
  fc.constantFrom('1', 'a', 'B', '1.5', 2.5, 2 ** 40),
)
const members = fc.dictionary(fc.constantFrom(...ODD), value, { maxKeys: 5 })
const rows = fc
  .uniqueArray(id, { selector: String, maxLength: 6 })
  .chain((ids) => fc.tuple(...ids.map((id) => members.map((more) => ({ id, ...more })))))
const database = fc.record({
  posts: rows,
  comments: fc
    .tuple(rows, fc.array(fc.oneof(id, fc.constant(null)), { minLength: 6, maxLength: 6 }))
    .map(([list, ids]) => list.map((row, at) => ({ ...row, postId: ids[at] }))),
  profile: members,
})

test('a random db.json is answered as the same document', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'entia-document-'))
  const file = join(folder, 'db.json')
  await fc.assert(
    fc.asyncProperty(database, async (content) => {
      await writeFile(file, JSON.stringify(content))
      const { store, model } = await openPlain(file)
      const rest = createRestHandler(store, { plain: { resources: model.resources } })
      const { body } = await rest.handle({ method: 'GET', url: '/db' })
      expect(JSON.parse(String(body))).toEqual(JSON.parse(JSON.stringify(content)))
      store.close()
    }),
    { numRuns },
  )
  await rm(folder, { recursive: true })
})
