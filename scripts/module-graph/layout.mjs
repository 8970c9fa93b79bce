// Places the modules in layers, so that every arrow leads down: the method of Sugiyama.

/**
 * A box, or a place where a long arrow crosses a layer.
 * @typedef {object} Place
 * @property {string | null} name of the module; null for an arrow
 * @property {number} layer 0 at the top
 * @property {number} x its centre
 * @property {Place[]} above
 * @property {Place[]} below
 */

const boxGap = 14
const arrowGap = 26
const sweeps = 30

/**
 * @param {ReadonlyMap<string, import('./modules.mjs').Module>} modules
 * @param {number} boxWidth
 * @returns {readonly (readonly Place[])[]} layers from the top, places from the left
 */
export function layoutOf(modules, boxWidth) {
  const layers = createLayers(modules)
  const align = alignment(boxWidth)
  orderLayers(layers)
  for (const layer of layers) for (const [at, place] of layer.entries()) place.x = at * boxWidth
  for (let sweep = 0; sweep < sweeps; sweep++) {
    for (const layer of layers) align(layer, (place) => place.above)
    for (const layer of layers.toReversed()) align(layer, (place) => place.below)
  }
  for (let sweep = 0; sweep < sweeps; sweep++)
    for (const layer of layers) align(layer, straightenedBy)
  return layers
}

/** @param {ReadonlyMap<string, import('./modules.mjs').Module>} modules */
function createLayers(modules) {
  const heights = /** @type {Map<string, number>} */ (new Map())
  /** The longest way down. @type {(name: string) => number} */
  const heightOf = (name) => {
    const known = heights.get(name)
    if (known !== undefined) return known
    const height = Math.max(-1, ...importsOf(name).map(heightOf)) + 1
    heights.set(name, height)
    return height
  }
  const importsOf = (/** @type {string} */ name) => modules.get(name)?.imports ?? []
  const top = Math.max(...[...modules.keys()].map(heightOf))
  const layers = /** @type {Place[][]} */ (Array.from({ length: top + 1 }, () => []))
  const add = (/** @type {string | null} */ name, /** @type {number} */ layer) => {
    const place = /** @type {Place} */ ({ name, layer, x: 0, above: [], below: [] })
    layers[layer]?.push(place)
    return place
  }
  const boxes = new Map([...modules.keys()].map((name) => [name, add(name, top - heightOf(name))]))
  for (const [name, from] of boxes)
    for (const target of importsOf(name).map((imported) => boxes.get(imported))) {
      let last = from
      while (target && last !== target) {
        const next = last.layer + 1 === target.layer ? target : add(null, last.layer + 1)
        last.below.push(next)
        next.above.push(last)
        last = next
      }
    }
  return layers
}

/**
 * Sorts each layer by the mean place of its neighbours, and keeps the order with the fewest
 * crossings.
 * @param {Place[][]} layers
 */
function orderLayers(layers) {
  let best = layers.map((layer) => [...layer])
  let fewest = crossingsOf(layers)
  for (let sweep = 0; sweep < sweeps; sweep++) {
    for (const layer of layers.slice(1)) sortByMean(layers, layer, 'above')
    for (const layer of layers.slice(0, -1).reverse()) sortByMean(layers, layer, 'below')
    swapNeighbours(layers)
    const crossings = crossingsOf(layers)
    if (crossings >= fewest) continue
    fewest = crossings
    best = layers.map((layer) => [...layer])
  }
  for (const [at, layer] of best.entries()) layers[at] = layer
}

/** @param {Place[][]} layers @param {Place[]} layer @param {'above' | 'below'} side */
function sortByMean(layers, layer, side) {
  const means = new Map(
    layer.map((place, at) => {
      const places = place[side].map(
        (neighbour) => layers[neighbour.layer]?.indexOf(neighbour) ?? 0,
      )
      return [place, places.length === 0 ? at : mean(places)]
    }),
  )
  layer.sort((a, b) => (means.get(a) ?? 0) - (means.get(b) ?? 0))
}

/**
 * Swaps places that stand side by side, as long as this removes crossings.
 * @param {Place[][]} layers
 */
function swapNeighbours(layers) {
  for (let fewest = crossingsOf(layers), changed = true; changed; ) {
    changed = false
    for (const layer of layers)
      for (let at = 1; at < layer.length; at++) {
        layer.splice(at - 1, 2, layer[at], layer[at - 1])
        const crossings = crossingsOf(layers)
        if (crossings < fewest) {
          fewest = crossings
          changed = true
        } else layer.splice(at - 1, 2, layer[at], layer[at - 1])
      }
  }
}

/** @param {Place[][]} layers */
function crossingsOf(layers) {
  let crossings = 0
  for (const [at, layer] of layers.entries()) {
    const order = new Map(layers[at + 1]?.map((place, index) => [place, index]))
    const ends = layer.map((place) => place.below.map((target) => order.get(target) ?? 0))
    for (const [left, targets] of ends.entries())
      for (const others of ends.slice(left + 1))
        for (const target of targets) for (const other of others) if (target > other) crossings++
  }
  return crossings
}

/** An arrow runs straight between the boxes at its ends. @param {Place} place */
function straightenedBy({ name, above, below }) {
  const neighbours = [...above, ...below]
  const bends = name === null ? neighbours.filter((neighbour) => neighbour.name === null) : []
  return bends.length > 0 ? bends : neighbours
}

/**
 * A function that moves each place of a layer as near to the mean of its neighbours as the order
 * and the distances allow: an isotonic regression.
 * @param {number} boxWidth
 */
function alignment(boxWidth) {
  const halfOf = (/** @type {Place} */ { name }) =>
    (name === null ? arrowGap : boxWidth + boxGap) / 2
  return (
    /** @type {readonly Place[]} */ layer,
    /** @type {(place: Place) => readonly Place[]} */ neighboursOf,
  ) => {
    let offset = 0
    const offsets = layer.map(
      (place, at) => (offset += at === 0 ? 0 : halfOf(layer[at - 1]) + halfOf(place)),
    )
    const groups = /** @type {{ sum: number, count: number }[]} */ ([])
    for (const [at, place] of layer.entries()) {
      const neighbours = neighboursOf(place)
      const wanted = neighbours.length === 0 ? place.x : mean(neighbours.map(({ x }) => x))
      let group = { sum: wanted - offsets[at], count: 1 }
      for (
        let last = groups.at(-1);
        last && last.sum / last.count > group.sum / group.count;
        last = groups.at(-1)
      ) {
        groups.pop()
        group = { sum: last.sum + group.sum, count: last.count + group.count }
      }
      groups.push(group)
    }
    const shifts = groups.flatMap(({ sum, count }) =>
      Array.from({ length: count }, () => sum / count),
    )
    for (const [at, place] of layer.entries()) place.x = shifts[at] + offsets[at]
  }
}

/** @param {readonly number[]} numbers */
function mean(numbers) {
  return numbers.reduce((total, number) => total + number, 0) / numbers.length
}
