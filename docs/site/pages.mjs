/**
 * Stages the pages of the site: the Markdown files of the checkout, with links rewritten to pages
 * of the site. A linked file outside of docs/ (a README, an example, a source file) becomes a page
 * too, so that no link is dead.
 */
import {
  copyFileSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs'
import { basename, dirname, extname, join, posix, sep } from 'node:path'
import { fileURLToPath } from 'node:url'

export const root = fileURLToPath(new URL('../../', import.meta.url))
export const staged = fileURLToPath(new URL('staged/', import.meta.url))

const languages = { '.mjs': 'js', '.js': 'js', '.ts': 'ts', '.json': 'json', '.mts': 'ts' }
const hidden = new Set(['node_modules', 'dist', 'test', 'staged', '.vitepress'])

/**
 * Writes every page that README.md, docs/ and the packages link to. Keeps the generated API
 * reference.
 */
export function stagePages() {
  for (const name of existsSync(staged) ? readdirSync(staged) : []) {
    if (name !== 'api') rmSync(join(staged, name), { recursive: true })
  }
  const docs = readdirSync(join(root, 'docs'), { recursive: true })
    .map((name) => name.split(sep).join('/'))
    .filter((name) => name.endsWith('.md') && !name.startsWith('site/'))
  const packages = readdirSync(join(root, 'packages')).map((name) => `packages/${name}`)
  const open = [
    'README.md',
    'llms.txt',
    ...docs.map((name) => `docs/${name}`),
    ...packages.filter(hasReadme),
  ]
  const seen = new Set()
  while (open.length > 0) {
    const path = open.pop()
    if (seen.has(path)) continue
    seen.add(path)
    open.push(...stage(path))
  }
}

/** Addresses of the repository as relative paths: READMEs of packages have absolute links. */
const inCheckout = (path, address) => {
  const own = /^https:\/\/github\.com\/entia\/entia\/(?:blob|tree)\/main\/(.*)$/.exec(address)
  return own === null ? address : posix.relative(posix.dirname(path), own[1])
}

const hasReadme = (folder) => existsSync(join(root, folder, 'README.md'))

/** Stages one file or folder of the checkout. Returns the paths that it links to. */
function stage(path) {
  const full = join(root, path)
  if (statSync(full).isDirectory()) {
    if (hasReadme(path)) return [`${path}/README.md`]
    write(`${path}/index.md`, listing(path))
    return []
  }
  if (!path.endsWith('.md') && path !== 'llms.txt') {
    const isPicture = /\.(svg|png|jpg)$/.test(path)
    if (isPicture) copyFileSync(full, join(mkdirFor(stagedPathOf(path)), basename(path)))
    else write(`${sourceName(path)}.md`, sourcePage(path))
    return []
  }
  const links = []
  const text = readFileSync(full, 'utf8').replace(
    /\]\(([^)#\s]*)(#[^)\s]*)?\)/g,
    (whole, address, anchor = '') => {
      const target = inCheckout(path, address)
      if (target === '' || /^[a-z]+:/.test(target)) return whole
      const linked = posix.normalize(posix.join(posix.dirname(path), target)).replace(/\/$/, '')
      if (!existsSync(join(root, linked))) throw new Error(`${path}: nothing at ${target}`)
      links.push(linked)
      return `](${addressOf(linked)}${anchor})`
    },
  )
  write(stagedPathOf(path), withSides(text))
  return links
}

/**
 * Labels each side of a comparison, and replaces the language `filter`, which the site's
 * highlighter does not know.
 */
function withSides(text) {
  const [, other] = /^# Migrate from (.*)$/m.exec(text) ?? []
  const plain = text.replaceAll('```filter\n', '```txt\n')
  if (other === undefined) return plain
  return plain
    .replaceAll('```ts run before\n', `<p class="side">${other}</p>\n\n\`\`\`ts\n`)
    .replaceAll('```ts run\n', '<p class="side">Entia</p>\n\n```ts\n')
}

/**
 * Where a file is staged: pages of docs/ at the top, a README as the index of its folder.
 * docs/README.md keeps its folder.
 */
function stagedPathOf(path) {
  if (path === 'llms.txt') return 'public/llms.txt'
  if (path === 'docs/README.md') return 'docs/index.md'
  return path.replace(/^docs\//, '').replace(/(^|\/)README\.md$/, '$1index.md')
}

/** The address of the page of a file or folder in the site. */
function addressOf(path) {
  if (/\.(svg|png|jpg)$/.test(path)) return `/${stagedPathOf(path)}`
  if (statSync(join(root, path)).isDirectory()) return `/${path}/`
  if (path === 'llms.txt') return '/llms.txt'
  if (!path.endsWith('.md')) return `/${sourceName(path)}`
  return `/${stagedPathOf(path)
    .replace(/(^|\/)index\.md$/, '$1')
    .replace(/\.md$/, '')}`
}

/** VitePress takes an address with an extension for a file to download. */
const sourceName = (path) => path.replace(/\.([^./]+)$/, '-$1')

const unsearched = '---\nsearch: false\n---\n'
const sourcePage = (path) => `${unsearched}\n# ${basename(path)}\n\n${codeOf(path)}`

/** The page of a folder without a README: the whole text of each file. */
function listing(folder) {
  const files = readdirSync(join(root, folder), { withFileTypes: true, recursive: true })
    .filter((entry) => entry.isFile())
    .map((entry) => posix.relative(root, join(entry.parentPath ?? entry.path, entry.name)))
    .filter(
      (path) => !path.split('/').some((part) => hidden.has(part)) && extname(path) in languages,
    )
    .sort()
  const title = `${unsearched}\n# ${basename(folder)}\n\nThe files of \`${folder}\`.\n\n`
  return (
    title + files.map((path) => `## ${posix.relative(folder, path)}\n\n${codeOf(path)}`).join('\n')
  )
}

const codeOf = (path) =>
  `\`\`\`\`${languages[extname(path)] ?? 'txt'}\n${readFileSync(join(root, path), 'utf8').trimEnd()}\n\`\`\`\`\n`

function write(path, text) {
  writeFileSync(join(mkdirFor(path), basename(path)), text)
}

/** The folder of a staged file. Creates it if it is missing. */
function mkdirFor(path) {
  const folder = dirname(join(staged, path))
  mkdirSync(folder, { recursive: true })
  return folder
}
