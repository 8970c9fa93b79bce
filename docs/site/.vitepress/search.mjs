// The search of the site finds tasks first. VitePress indexes each section of a page by its heading
// and its text; this file adds the words that readers search for, and weighs the kinds of pages.

/**
 * Words for a task that the page or section about it does not use, or not often enough. Without an
 * anchor they belong to the beginning of the page.
 */
export const searchWords = {
  tutorial: 'getting started install quick start npm hello world',
  'how-to/assistants': 'ai llm mcp model context protocol claude agent chatbot',
  'how-to/browser': 'bundle size csp frontend bundler vite webpack',
  'how-to/browser-persistence': 'indexeddb localstorage tabs',
  'how-to/client': 'sdk fetch typed requests axios trpc',
  'how-to/existing-database': 'legacy introspect tables',
  'how-to/explorer': 'admin ui dashboard data grid studio browse edit table editor',
  'how-to/files': 'persistence save to disk backup journal wal',
  'how-to/files#change-the-model': 'migration migrations schema change migrate add column',
  'how-to/grouping': 'group by aggregate aggregation having sum pivot report',
  'how-to/high-availability': 'failover replication standby primary cluster',
  'how-to/http-hosts': 'rest api server node http bun deno express',
  'how-to/http-hosts#protect-the-server': 'rate limit timeout ddos security hardening',
  'how-to/identity': 'jwt token oauth oidc sso passport auth.js clerk bearer',
  'how-to/live-queries': 'realtime websocket sse subscribe subscription push events',
  'how-to/observability': 'metrics prometheus opentelemetry logging monitoring openapi swagger',
  'how-to/outgrowing-one-machine':
    'postgres postgresql database scale deploy deployment production docker kubernetes',
  'how-to/permissions':
    'auth authentication authorization login password roles rls row level security acl',
  'how-to/replicas': 'offline sync local first conflict without connection',
  'how-to/rules': 'validation hook trigger constraint business rule check invariant',
  'how-to/schemas': 'zod valibot validation validate json schema',
  'how-to/search': 'full text fulltext fts search contains relevance fuzzy',
  'how-to/tanstack-db': 'vue svelte solid angular nuxt sveltekit',
  'how-to/tests': 'mock fixture fixtures factory faker seed jest vitest unit test',
  'how-to/typed-queries': 'query builder orm type safe where',
  'how-to/workers': 'cloudflare edge serverless wrangler deno bun',
  'explanation/comparison': 'alternatives sqlite prisma drizzle lokijs graphql versus',
  'explanation/plans': 'table scan full scan slow query explain missing index optimizer',
  'reference/command-line': 'cli csv import export json shell terminal',
  'reference/command-line#file-formats': 'csv tsv ndjson spreadsheet excel',
  'reference/core#define-dataclasses':
    'index indexes indexed create index join joins relation foreign key enum column type',
  'reference/core#write': 'insert update delete optimistic locking lock version conflict stamp',
  'reference/core#read': 'pagination paginate paging pages limit offset skip cursor sort',
  'reference/core#transactions': 'atomic rollback acid commit',
  'reference/http#parameters': 'pagination paging limit offset query string odata',
  'reference/http#images-and-blobs':
    'upload uploads file files attachment photo multipart download',
  'reference/options#createresthandler': 'cors origin csrf cookie settings configuration',
}

/** Enough for the length of a section not to matter. */
const TIMES = 20

/**
 * The HTML that is indexed for a page. Search does not show it.
 * @param {string} html
 * @param {string} page   its path without the ending
 */
export function indexedHtml(html, page) {
  let text = html
  for (const [place, words] of Object.entries(searchWords)) {
    const [path, anchor] = place.split('#')
    if (path !== page) continue
    const heading = anchor === undefined ? text.indexOf('<h1') : text.indexOf(`id="${anchor}"`)
    const end = text.indexOf('>', text.indexOf('</h', heading)) + 1
    if (heading < 0) throw new Error(`docs/site/.vitepress/search.mjs: nothing at ${place}`)
    text = `${text.slice(0, end)}<p>${`${words} `.repeat(TIMES)}</p>${text.slice(end)}`
  }
  return text
}

/** The options of MiniSearch, in the build and in the page. */
export const searchOptions = {
  fuzzy: 0.2,
  prefix: true,
  boost: { title: 4, text: 2, titles: 1 },
  // VitePress sends this function to the page as text, so it uses nothing from outside.
  /** @param {string} id */
  boostDocument: (id) =>
    /^\/(tutorial|how-to\/(?!migrate))/.test(id)
      ? 4
      : /^\/(how-to|reference|explanation)\//.test(id)
        ? 2
        : 0.5,
}

/** @typedef {{ options: { highlight?: unknown }, render(source: string, env: object): string }} Renderer */

/**
 * A page without the colours of its code, which take most of the time and are not indexed.
 * @param {Renderer} md of the pages too
 * @param {string} source
 * @param {object} env
 */
function plainHtml(md, source, env) {
  const { highlight } = md.options
  md.options.highlight = null
  try {
    return md.render(source, env)
  } finally {
    md.options.highlight = highlight
  }
}

export const search = {
  provider: 'local',
  options: {
    /**
     * @param {string} source
     * @param {{ relativePath: string, frontmatter?: { search?: boolean } }} env
     * @param {Renderer} md
     */
    _render(source, env, md) {
      const html = plainHtml(md, source, env)
      if (env.frontmatter?.search === false) return ''
      return indexedHtml(html, env.relativePath.replace(/\.md$/, ''))
    },
    miniSearch: { searchOptions },
  },
}
