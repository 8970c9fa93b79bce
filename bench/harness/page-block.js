const WIDTH = 100

/** Wraps long lines of prose. Tables and fenced output keep their lines. @param {string} content */
export function wrapProse(content) {
  let isFenced = false
  return content
    .split('\n')
    .map((line) => {
      if (line.startsWith('```')) isFenced = !isFenced
      return isFenced || line.startsWith('|') ? line : wrapLine(line)
    })
    .join('\n')
}

function wrapLine(line) {
  const lines = ['']
  for (const word of line.split(' ')) {
    const last = lines.at(-1)
    if (last !== '' && last.length + 1 + word.length > WIDTH) lines.push(word)
    else lines[lines.length - 1] = last === '' ? word : `${last} ${word}`
  }
  return lines.join('\n')
}

/**
 * Replaces the text between the markers of each block on the page that has them. Throws if no page
 * has the markers of a block; with `isPartial`, only if there are none of any block.
 * @param {readonly { name: string, text: string }[]} pages
 * @param {ReadonlyMap<string, string>} blocks   content by the name of the markers
 * @param {{ isPartial: boolean }} options
 * @returns {readonly { name: string, text: string }[]} the pages with their new text
 */
export function withBlocks(pages, blocks, { isPartial }) {
  const has = ({ text }, block) => placeOf(text, block) !== null
  const missing = [...blocks.keys()].filter((block) => !pages.some((page) => has(page, block)))
  if (missing.length > 0 && (!isPartial || missing.length === blocks.size)) {
    const { begin, end } = markersOf(missing[0])
    throw new Error(
      `${pages.map(({ name }) => name).join(' and ')} has no markers for ${missing.join(', ')}: write ${begin.trim()} and ${end} on lines of their own.`,
    )
  }
  return pages.map(({ name, text }) => ({
    name,
    text: [...blocks].reduce((written, [block, content]) => {
      const place = placeOf(written, block)
      if (place === null) return written
      return `${written.slice(0, place.from)}${content}${written.slice(place.to)}`
    }, text),
  }))
}

const markersOf = (block) => ({
  begin: `<!-- ${block}:begin -->\n`,
  end: `<!-- ${block}:end -->`,
})

function placeOf(text, block) {
  const { begin, end } = markersOf(block)
  const [from, to] = [text.indexOf(begin), text.indexOf(end)]
  return from < 0 || to < from ? null : { from: from + begin.length, to }
}
