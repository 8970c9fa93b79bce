import { layoutOf } from './layout.mjs'

/** @typedef {import('./layout.mjs').Place} Place */

const letterWidth = 7.2
const minBoxWidth = 100
const boxHeight = 42
const layerDistance = 84
const top = 66
const margin = 14
const minWidth = 600
/** The part of a box's width over which its arrows spread. */
const spread = 0.7

/** Readable on light and dark pages. */
const style = `
  text { font: 12px system-ui, sans-serif; fill: #24292f }
  .soft { fill: #59636e; font-size: 11px } .title { font-size: 15px; font-weight: 600 } .name { font-weight: 600 }
  rect { fill: #eaf2fc; stroke: #1f6fd1; stroke-width: 1.2 }
  .arrow { fill: none; stroke: #8c959f; stroke-width: 1.3 } .head { fill: #59636e }
  @media (prefers-color-scheme: dark) {
    text { fill: #e6edf3 } .soft { fill: #9198a1 }
    rect { fill: #14263d; stroke: #58a6ff } .arrow { stroke: #6e7681 } .head { fill: #9198a1 }
  }`

/**
 * Draws modules as boxes in layers, with arrows down to the modules that they import.
 * @param {string} title
 * @param {ReadonlyMap<string, import('./modules.mjs').Module>} modules
 * @returns {string} SVG
 */
export function drawGraph(title, modules) {
  const longestName = Math.max(...[...modules.keys()].map((name) => name.length))
  const boxWidth = Math.max(minBoxWidth, longestName * letterWidth + margin)
  const layers = layoutOf(modules, boxWidth)
  const places = layers.flat()
  const halfOf = (/** @type {Place} */ { name }) => (name === null ? 0 : boxWidth / 2)
  const left = Math.min(...places.map((place) => place.x - halfOf(place)))
  const drawn = Math.max(...places.map((place) => place.x + halfOf(place))) - left
  const width = Math.ceil(Math.max(minWidth, drawn + 2 * margin))
  for (const place of places) place.x += (width - drawn) / 2 - left
  const height = top + (layers.length - 1) * layerDistance + boxHeight + margin
  const boxes = places.filter(({ name }) => name !== null)
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}" role="img" aria-labelledby="title about">
<title id="title">${title}</title>
<desc id="about">${aboutOf(modules)}</desc>
<style>${style}</style>
<defs><marker id="head" viewBox="0 0 8 8" refX="7" refY="4" markerWidth="8" markerHeight="8" markerUnits="userSpaceOnUse" orient="auto"><path class="head" d="M0 0.5L8 4L0 7.5Z"/></marker></defs>
<text class="title" x="${margin}" y="24">${title}</text>
<text class="soft" x="${margin}" y="43">Arrows lead to imported modules; imports that other arrows imply are left out. Lines exclude comments.</text>
${boxes.flatMap((box) => box.below.map((next) => drawArrow(box, next, boxWidth))).join('\n')}
${boxes.map((box) => drawBox(box, boxWidth, modules.get(box.name ?? '')?.lines ?? 0)).join('\n')}
</svg>
`
}

/** @param {ReadonlyMap<string, import('./modules.mjs').Module>} modules */
const aboutOf = (modules) =>
  [...modules]
    .map(([name, { imports }]) => `${name} imports ${imports.join(', ') || 'no other module'}.`)
    .join(' ')

/** @param {Place} box @param {number} boxWidth @param {number} lines */
function drawBox({ name, layer, x }, boxWidth, lines) {
  const y = top + layer * layerDistance
  const hundreds = Math.max(1, Math.round(lines / 100)) * 100
  return [
    `<rect x="${round(x - boxWidth / 2)}" y="${y}" width="${round(boxWidth)}" height="${boxHeight}" rx="6"/>`,
    `<text class="name" x="${round(x)}" y="${y + 18}" text-anchor="middle">${name}</text>`,
    `<text class="soft" x="${round(x)}" y="${y + 34}" text-anchor="middle">${hundreds.toLocaleString('en')} lines</text>`,
  ].join('')
}

/**
 * An arrow from a box through the places where it crosses layers.
 * @param {Place} box
 * @param {Place} first the next place on the way
 * @param {number} boxWidth
 */
function drawArrow(box, first, boxWidth) {
  const portOf = (/** @type {readonly Place[]} */ neighbours, /** @type {Place} */ neighbour) =>
    shareOf(neighbours, neighbour) * boxWidth * spread
  const start = {
    x: box.x + portOf(box.below, first),
    y: top + box.layer * layerDistance + boxHeight,
  }
  let path = `M${round(start.x)} ${start.y}`
  let from = start
  for (let above = box, place = first; ; [above, place] = [place, place.below[0]]) {
    const y = top + place.layer * layerDistance
    const to = { x: place.x + (place.name === null ? 0 : portOf(place.above, above)), y }
    const middle = (from.y + to.y) / 2
    path += `C${round(from.x)} ${middle} ${round(to.x)} ${middle} ${round(to.x)} ${y}`
    if (place.name !== null) return `<path class="arrow" d="${path}" marker-end="url(#head)"/>`
    path += `V${y + boxHeight}`
    from = { x: to.x, y: y + boxHeight }
  }
}

/**
 * Where on its side of a box the arrow of a neighbour starts or ends: from -0.5 to 0.5.
 * @param {readonly Place[]} neighbours
 * @param {Place} neighbour
 */
function shareOf(neighbours, neighbour) {
  const order = neighbours.toSorted((a, b) => a.x - b.x)
  return (order.indexOf(neighbour) + 0.5) / order.length - 0.5
}

/** @param {number} value */
function round(value) {
  return Math.round(value * 10) / 10
}
