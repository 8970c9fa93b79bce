import { existsSync } from 'node:fs'
import { join, posix } from 'node:path'
import { expect, test } from 'vitest'
import { filesBelow, readText, root } from './source-files.ts'

/** Links of a page to files of the checkout, outside fenced code. */
function linksOf(
  page: string,
): readonly { readonly path: string; readonly anchor: string | null }[] {
  const prose = readText(page).replace(/^(`{3,})[^\n]*\n[\s\S]*?^\1$/gm, '')
  return [...prose.matchAll(/\]\(([^)#\s]*)(?:#([^)\s]*))?\)/g)]
    .map(([, path = '', anchor]) => ({ path, anchor: anchor ?? null }))
    .map(({ path, anchor }) => ({ path: inCheckout(page, path), anchor }))
    .filter(({ path }) => !/^[a-z]+:/.test(path))
}

/** Addresses of this repository as relative paths: the READMEs of packages are read elsewhere. */
const inCheckout = (page: string, path: string): string => {
  const own = /^https:\/\/github\.com\/entia\/entia\/(?:blob|tree)\/main\/(.*)$/.exec(path)
  return own === null ? path : posix.relative(posix.dirname(page), own[1] ?? '')
}

/** The anchors of a page's headings, as GitHub and the site generate them. */
const anchorsOf = (page: string): ReadonlySet<string> =>
  new Set(
    [...readText(page).matchAll(/^#+ (.*)$/gm)].map(([, heading = '']) =>
      heading
        .replace(/\[([^\]]*)\]\([^)]*\)/g, '$1')
        .trim()
        .toLowerCase()
        .replace(/[^\p{L}\p{N}\s_-]/gu, '')
        .replace(/\s/g, '-'),
    ),
  )

function problemsOf(page: string): readonly string[] {
  return linksOf(page).flatMap(({ path, anchor }) => {
    const linked = path === '' ? page : posix.normalize(posix.join(posix.dirname(page), path))
    if (!existsSync(join(root, linked))) return [`${page}: nothing at ${path}`]
    if (anchor === null) return []
    return linked.endsWith('.md') && anchorsOf(linked).has(anchor)
      ? []
      : [`${page}: no heading ${path}#${anchor}`]
  })
}

const pages = filesBelow('').filter((file) => file.endsWith('.md') || file === 'llms.txt')

test.each(pages)('%s: every link leads to an existing file and heading', (page) => {
  expect(problemsOf(page)).toEqual([])
})

// The registry shows them, and a relative link leads nowhere there.
test('READMEs of packages have absolute links', () => {
  const readmes = pages.filter((page) => /^packages\/[^/]+\/README\.md$/.test(page))
  const relative = readmes.flatMap((page) =>
    [...readText(page).matchAll(/\]\((?!https:|#)[^)]*\)/g)].map(([link]) => `${page} ${link}`),
  )
  expect(readmes.length).toBeGreaterThan(10)
  expect(relative).toEqual([])
})

test('llms.txt links to pages, and each page once', () => {
  const linked = linksOf('llms.txt').map(({ path }) => path)
  expect(linked.length).toBeGreaterThan(15)
  expect(new Set(linked).size).toBe(linked.length)
})

/** Names of declarations, and of members at the beginning of a line. */
const declared =
  /(?:\b(?:function\*?|const|class|interface|type|let) +|^ +(?:(?:static|async|readonly|get) +|\*)*#?)(\w+)/gm

test('every name in brackets on the page of decisions exists', () => {
  const files = filesBelow('packages').filter((file) =>
    /^[^/]+\/src\/.*\.(ts|tsx|peggy)$/.test(file),
  )
  const names = new Set(files.map((file) => posix.basename(file)))
  for (const file of files)
    for (const [, name = ''] of readText(`packages/${file}`).matchAll(declared)) names.add(name)
  const page = readText('docs/explanation/decisions.md')
  const named = [...page.matchAll(/\[(`[^\]]*`)\](?!\()/g)].flatMap(([, list = '']) =>
    [...list.matchAll(/`([^`]+)`/g)].map(([, name = '']) => name),
  )
  expect(named.length).toBeGreaterThan(200)
  expect(named.filter((name) => !names.has(name))).toEqual([])
})

// A name without a folder is in the folder of the name before it, or next to that folder.
test('every file in the recipes of CONTRIBUTING.md exists', () => {
  const [, recipes = ''] = readText('CONTRIBUTING.md').split('## How something is added')
  const cells = [...(recipes.split('\n## ')[0] ?? '').matchAll(/^\| (`[^|]*) \|/gm)].map(
    ([, cell = '']) => cell,
  )
  expect(cells.length).toBeGreaterThan(15)
  for (const cell of cells) {
    let folder = ''
    for (const [, name = ''] of cell.matchAll(/`([^` ]+)`/g)) {
      const places = [
        `packages/${name}`,
        name,
        `${folder}/${name}`,
        `${posix.dirname(folder)}/${name}`,
      ]
      const place = places.find((path) => existsSync(join(root, path)))
      expect(place, `${name} in ${cell}`).toBeDefined()
      folder = /\.[a-z]+$/.test(name) ? posix.dirname(place!) : place!
    }
  }
})
