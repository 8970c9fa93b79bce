import { expect, test } from 'vitest'
import { pages } from './docs-examples.ts'
import { commentsOf, patternComparisons } from './exact-filters.ts'
import { filesBelow, isGenerated, readText } from './source-files.ts'

// A reader copies what a page shows, and then gives it a value from outside. So equality is
// written === (or !==, isin) wherever a text or a placeholder follows.

/** Comparisons that explain wildcards, or are not of the filter language. */
const ALLOWED = new Map<string, readonly string[]>([
  ['docs/explanation/comparison.md', [`companyId=$\{id}`]],
  ['docs/explanation/performance.md', ['lastName = :1']],
  ['docs/reference/measurements.md', ["prefix='2 3'"]],
  ['docs/how-to/high-availability.md', ["synchronous_commit = 'remote_apply'"]],
  ['docs/how-to/permissions.md', ['path = :1']],
  [
    'docs/reference/filter-language.md',
    [
      'email = :1',
      'email in :1',
      'email != :1',
      'email in :1',
      'lastName = :1',
      "lastName = 'true'",
    ],
  ],
  // Plans name the comparison that runs, which knows no wildcards.
  ['packages/core/src/filter/predicate.ts', ["employer.city = 'Paris'"]],
])

/** Programs whose texts users read: what commands print and write, and what assistants are told. */
const SHOWN = [
  'packages/cli/src/usage.ts',
  'packages/cli/src/commands/init.ts',
  'packages/mcp/src/tools/arguments.ts',
  'packages/mcp/src/filter-guide.ts',
]

const examples = filesBelow('examples')
  .filter((file) => /\.(?:[cm]?[jt]sx?|sh|svelte|vue|html|md)$/.test(file))
  .filter((file) => !/\btest\/|^plain-rest\//.test(file))
  .map((file) => `examples/${file}`)

const packageFiles = filesBelow('packages').filter((file) => /^[^/]+\/src\//.test(file))

test('pages, examples and templates compare texts by operators without wildcards', () => {
  const readmes = packageFiles.filter((file) => file.endsWith('.md'))
  const files = [...pages, 'SECURITY.md', ...examples, ...SHOWN]
  const read = [...files, ...readmes.map((file) => `packages/${file}`)]
  expect(examples.length).toBeGreaterThan(50)
  expect(findings(new Map(read.map((file) => [file, readText(file)])))).toEqual([])
})

test('comments of the packages do so too', () => {
  const programs = packageFiles
    .filter((file) => /\.tsx?$/.test(file) && !isGenerated(file))
    .map((file) => `packages/${file}`)
  expect(programs.length).toBeGreaterThan(300)
  expect(findings(new Map(programs.map((file) => [file, commentsOf(readText(file))])))).toEqual([])
})

/** What is found beside what is allowed, and what is allowed but no longer there. */
function findings(texts: ReadonlyMap<string, string>): readonly string[] {
  return [...texts].flatMap(([file, text]) => {
    const left = [...(ALLOWED.get(file) ?? [])]
    const found = patternComparisons(text).flatMap(({ line, comparison }) => {
      const at = left.indexOf(comparison)
      if (at >= 0) left.splice(at, 1)
      return at >= 0 ? [] : [`${file}:${line}: ${comparison}`]
    })
    return [...found, ...left.map((comparison) => `${file}: ${comparison} is not on the page`)]
  })
}

test.each([
  [`store.Employee.query('salary > :1 and employer.city = :2', [1, city])`, 'employer.city = :2'],
  [`find('lastName in :1', [names])`, 'lastName in :1'],
  [`find(\`city != $\{city}\`)`, `city != $\{city}`],
  [`store.Employee.query('lastName = Hopper')`, 'lastName = Hopper'],
  [`A sentence with \`city = 'Paris'\` as code`, "city = 'Paris'"],
  [`entia query data/ Employee --filter "salary > 1 and city = 'Paris'"`, "city = 'Paris'"],
  [`curl 'Flight?$filter="origin.city=:1"&$params=["x"]'`, 'origin.city=:1'],
  [`step 'an average' 200 'Flight?$compute=sum&$filter="origin.state = TX"'`, 'origin.state = TX'],
  [`const filter = 'salary > 9000 and employer.city = zurich'`, 'employer.city = zurich'],
  ['```filter\nlastName # muller                 → Byron\n```', 'lastName # muller'],
])('%s is found', (text, comparison) => {
  expect(patternComparisons(text).map((found) => found.comparison)).toEqual([comparison])
})

test.each([
  `store.Employee.query('salary > :1 and employer.city === :2', [1, city])`,
  `find("lastName = 'B@'")`,
  `find('lastName !== :1 and salary = 5 and done = true and boss = null')`,
  `const city = 'Paris'`,
  `<line x1="4">`,
  '```filter\nsalary = not 48000                → Byron\n```',
])('%s is not', (text) => {
  expect(patternComparisons(text)).toEqual([])
})
