import { expect, test } from 'vitest'
import { withoutComments } from '../source-imports.mjs'
import { isGenerated, sourcesOf } from './source-files.ts'

const WORD = /[A-Za-z_$][\w$]*/g
const EXPORTED = /^export (?:abstract )?(?:async )?(?:function\*?|const|let|class) (\w+)/gm

/**
 * The exported functions, constants and classes that no other file names. One that nothing calls is
 * dead, and its caller may have been lost in a merge.
 */
function unusedExports(
  sources: ReadonlyMap<string, string>,
  users: ReadonlyMap<string, string>,
): readonly string[] {
  const filesByWord = new Map<string, Set<string>>()
  for (const [file, text] of users) {
    for (const word of text.match(WORD) ?? []) {
      const files = filesByWord.get(word) ?? new Set()
      filesByWord.set(word, files.add(file))
    }
  }
  return [...sources].flatMap(([file, text]) =>
    [...withoutComments(text).matchAll(EXPORTED)]
      .map(([, name]) => name)
      .filter((name) => [...(filesByWord.get(name) ?? [])].every((user) => user === file))
      .map((name) => `${file}: ${name}`),
  )
}

test('names an exported value that no other file uses', () => {
  const sources = new Map([
    ['a.ts', 'export const used = 1\nexport function unused() {\n  return unused\n}'],
    ['b.ts', "import { used } from './a.ts'\nused"],
  ])
  expect(unusedExports(sources, sources)).toEqual(['a.ts: unused'])
})

test('every exported function, constant and class of a package is used by another file', () => {
  const folders = ['packages', 'bench', 'examples', 'scripts']
  const all = new Map(
    folders.flatMap((folder) =>
      [...sourcesOf(folder)].map(([file, text]): [string, string] => [`${folder}/${file}`, text]),
    ),
  )
  const sources = new Map(
    [...all].filter(([file]) => /^packages\/[^/]+\/src\//.test(file) && !isGenerated(file)),
  )
  expect(sources.size).toBeGreaterThan(500)
  expect(unusedExports(sources, all)).toEqual([])
})
