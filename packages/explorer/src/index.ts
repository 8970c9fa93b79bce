import { pageScript, pageStyle } from './page.generated.ts'

/** A link to open: its title and its percent-encoded address on this server. */
export interface ExplorerLink {
  readonly title: string
  readonly href: string
}

export interface ExplorerOptions {
  /** The name of the store. */
  readonly name: string
  /** The path of the REST interface on this server, for example `/rest`. */
  readonly basePath: string
  /** Shown below the diagram; a browser without scripts shows only these. */
  readonly links: readonly ExplorerLink[]
  /**
   * Whether the interface has users to log in as. False by default, also if the host identifies its
   * users: the page shows the user, without a login.
   */
  readonly hasUsers?: boolean
}

/** One file of the page with its headers; `body` is UTF-8 text. */
export interface ExplorerFile {
  readonly headers: Readonly<Record<string, string>>
  readonly body: string
}

/** The page may load its own script and style, and data and images of this server. */
const policy =
  "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; img-src 'self' data:; " +
  "base-uri 'none'; form-action 'none'; frame-ancestors 'none'"

/**
 * The files of the explorer by path. `/` is the page; it loads the other files. Serve them at the
 * root of the server that has the REST interface. The page sends requests only to that interface.
 */
export function explorerFiles(options: ExplorerOptions): ReadonlyMap<string, ExplorerFile> {
  const { name, basePath, links, hasUsers = false } = options ?? {}
  if (typeof name !== 'string' || typeof basePath !== 'string' || !Array.isArray(links))
    throw new TypeError(
      'explorerFiles takes { name, basePath, links }: two texts, and an array of { title, href }.',
    )
  const items = links.map(
    ({ title, href }) => `<li><a href="${escapeHtml(href)}">${escapeHtml(title)}</a></li>`,
  )
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
    // A newer version of the server has a newer page.
    'cache-control': 'no-cache',
  }
  return { headers, body }
}

function escapeHtml(text: string): string {
  return text
    .replaceAll('&', '&amp;')
    .replaceAll('<', '&lt;')
    .replaceAll('>', '&gt;')
    .replaceAll('"', '&quot;')
}
