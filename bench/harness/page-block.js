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
 * Replaces the text between the markers of that name. Throws if the page has no such markers.
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
    throw new Error(
      `${page.name} has no markers for ${block}: write ${begin.trim()} and ${end} on lines of their own.`,
    )
  }
  return `${page.text.slice(0, from + begin.length)}${content}${page.text.slice(to)}`
}
