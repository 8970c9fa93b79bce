import { expect, test } from 'vitest'
import { isGenerated, sourcesOf } from './source-files.ts'

const WIDTH = 100

/** Tables, indented examples, directives and types cannot be wrapped. */
const isUnwrappable = (comment: string): boolean =>
  /^(?:\/\/|\/?\*\*?) ?(?: {2,}|\|)|biome-ignore|@type/.test(comment)

/** The lines of comments that are too wide, as `line: text`. The formatter wraps code only. */
function wideComments(text: string): readonly string[] {
  return text.split('\n').flatMap((line, at) => {
    const comment = line.trim()
    const isWide = line.length > WIDTH && /^(?:\/\/|\/\*|\*)/.test(comment)
    return isWide && !isUnwrappable(comment) ? [`${at + 1}: ${comment}`] : []
  })
}

test('wide lines of comments are found, except those that cannot be wrapped', () => {
  const wide = 'x '.repeat(60)
  expect(wideComments(`// ${wide}\nconst a = '${wide}'\n * ${wide}`)).toHaveLength(2)
  expect(wideComments(`//   npm ${wide}\n * | a | ${wide}\n// biome-ignore ${wide}`)).toEqual([])
})

test.each(['packages', 'scripts', 'bench', 'examples'])(
  'comments in %s are at most 100 columns wide',
  (folder) => {
    const found = [...sourcesOf(folder)].flatMap(([file, text]) =>
      isGenerated(file) ? [] : wideComments(text).map((line) => `${folder}/${file}:${line}`),
    )
    expect(found).toEqual([])
  },
)
