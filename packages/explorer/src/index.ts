import { pageScript, pageStyle } from './page.generated.ts'

/** Something worth opening: its title and its percent-encoded address on this server. */
export interface ExplorerLink {
  readonly title: string
  readonly href: string
}

export interface ExplorerOptions {
  /** The store's name. */
  readonly name: string
  /** Where the REST interface begins on this server, `/rest`. */
  readonly basePath: string
  /** Shown below the diagram, and all there is in a browser without scripts. */
  readonly links: readonly ExplorerLink[]
  /** Whether the interface has users, so that one can log in. False unless given. */
  readonly hasUsers?: boolean
}

/** One file of the page, with the headers it needs; `body` is text in UTF-8. */
export interface ExplorerFile {
  readonly headers: Readonly<Record<string, string>>
  readonly body: string
}

/** What the page may load: its own script and style, answers and images of this server. */
const policy =
  "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; img-src 'self' data:; " +
  "base-uri 'none'; form-action 'none'; frame-ancestors 'none'"

/**
 * The files of the explorer by path: `/` is the page, which loads the others from beside it. They are to be served by the server
 * that has the REST interface, at the root of its addresses. The page asks that interface and nothing else.
 */
export function explorerFiles({
  name,
  basePath,
  links,
  hasUsers = false,
}: ExplorerOptions): ReadonlyMap<string, ExplorerFile> {
  const items = links.map(({ title, href }) => `<li><a href="${escapeHtml(href)}">${escapeHtml(title)}</a></li>`)
  const page = `<!doctype html>
<html lang="en">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width">
<meta name="color-scheme" content="light dark">
<meta name="entia-base" content="${escapeHtml(basePath)}">
<meta name="entia-store" content="${escapeHtml(name)}">
<meta name="entia-users" content="${hasUsers}">
<title>${escapeHtml(name)}</title>
<link rel="stylesheet" href="/explorer.css">
<script type="module" src="/explorer.js"></script>
<div id="app">
<h1>${escapeHtml(name)}</h1>
<p>The datastore is served below <code>${escapeHtml(basePath)}</code>.</p>
<ul>
${items.join('\n')}
</ul>
</div>
</html>
`
  return new Map([
    ['/', fileOf('text/html', page)],
    ['/explorer.js', fileOf('text/javascript', pageScript)],
    ['/explorer.css', fileOf('text/css', pageStyle)],
  ])
}

function fileOf(type: string, body: string): ExplorerFile {
  const headers = {
    'content-type': `${type}; charset=utf-8`,
    'content-security-policy': policy,
    'x-content-type-options': 'nosniff',
    'referrer-policy': 'no-referrer',
    // A newer server has a newer page.
    'cache-control': 'no-cache',
  }
  return { headers, body }
}

function escapeHtml(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;').replaceAll('"', '&quot;')
}
