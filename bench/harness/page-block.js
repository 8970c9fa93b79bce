/**
 * A page with what stands between the markers of that name replaced. Throws when the page has no such markers.
 * @param {{ text: string, name: string }} page       its text, and its name for the error
 * @param {string} block                               name of the markers
 * @param {string} content
 */
export function withBlock(page, block, content) {
  const begin = `<!-- ${block}:begin -->\n`
  const end = `<!-- ${block}:end -->`
  const from = page.text.indexOf(begin)
  const to = page.text.indexOf(end)
  if (from < 0 || to < from) {
    throw new Error(`${page.name} has no markers for ${block}: write ${begin.trim()} and ${end} on lines of their own.`)
  }
  return `${page.text.slice(0, from + begin.length)}${content}${page.text.slice(to)}`
}
