import type { Address } from './addresses.ts'

/** The URL of an address below `origin`; percent-encodes what a terminal or an HTML attribute would cut. */
export function urlOf(origin: string, basePath: string, address: Address): string {
  return `${origin}${basePath}/${encodeURI(address.path).replaceAll("'", '%27')}`
}

/** The page at `/`: the addresses as links, so that a first click works. It loads nothing. */
export function frontPage(name: string, basePath: string, addresses: readonly Address[]): string {
  const items = addresses.map(
    (address) =>
      `<li><a href="${escapeHtml(urlOf('', basePath, address))}">${escapeHtml(address.title)}</a><br>` +
      `<code>${escapeHtml(`${basePath}/${address.path}`)}</code></li>`,
  )
  return `<!doctype html>
<html lang="en">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width">
<title>${escapeHtml(name)}</title>
<h1>${escapeHtml(name)}</h1>
<p>The datastore is served below <code>${escapeHtml(basePath)}</code>.</p>
<ul>
${items.join('\n')}
</ul>
</html>
`
}

function escapeHtml(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;').replaceAll('"', '&quot;')
}
