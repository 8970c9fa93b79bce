import type { DataClass, Model } from './model.ts'
import { type Size, scaleToFit } from './zoom.ts'

export interface Box {
  readonly dataClass: DataClass
  readonly x: number
  readonly y: number
  readonly height: number
}

interface Line {
  readonly from: string
  readonly attribute: string
  readonly to: string
  readonly path: string
}

export interface Diagram {
  readonly boxes: readonly Box[]
  readonly lines: readonly Line[]
  readonly width: number
  readonly height: number
}

export const boxWidth = 232
export const headHeight = 34
export const rowHeight = 21
const gap = 72
const margin = 12
const apart = 32
/** How far a line extends that leads to its own dataclass or to one above. */
const loop = 28
const below = 10

/**
 * Lays out boxes in columns, related dataclasses together, with a line per to-one relation. Takes
 * as many columns as fit without zooming, or those with the largest scale that fits all. In pixels.
 */
export function layOutModel(model: Model, frame: Size): Diagram {
  const ordered = byRelation(model)
  const most = Math.max(1, ordered.length)
  const fitting = Math.floor((frame.width - 2 * margin - loop + gap) / (boxWidth + gap))
  const natural = placeBoxes(ordered, Math.min(most, Math.max(1, fitting)))
  const placed =
    scaleToFit(natural, frame) === 1
      ? natural
      : Array.from({ length: most }, (_, at) => placeBoxes(ordered, at + 1)).reduce((best, next) =>
          scaleToFit(next, frame) > scaleToFit(best, frame) ? next : best,
        )
  return { ...placed, lines: linesOf(placed.boxes) }
}

function placeBoxes(ordered: readonly DataClass[], columns: number): Omit<Diagram, 'lines'> {
  const heights = Array.from({ length: columns }, () => margin)
  const boxes = ordered.map((dataClass) => {
    const column = heights.indexOf(Math.min(...heights))
    const y = heights[column] ?? margin
    const height = headHeight + dataClass.attributes.length * rowHeight + below
    heights[column] = y + height + apart
    return { dataClass, x: margin + column * (boxWidth + gap), y, height }
  })
  return {
    boxes,
    width: 2 * margin + columns * boxWidth + (columns - 1) * gap + loop,
    height: Math.max(...heights) - apart + margin,
  }
}

/** Dataclasses in the order of their relations, from the first of the catalog. */
function byRelation(model: Model): readonly DataClass[] {
  const ordered = new Set<DataClass>()
  const visit = (dataClass: DataClass) => {
    if (ordered.has(dataClass)) return
    ordered.add(dataClass)
    for (const { target } of dataClass.attributes) {
      const related = target === null ? undefined : model.classes.get(target)
      if (related !== undefined) visit(related)
    }
  }
  for (const dataClass of model.classes.values()) visit(dataClass)
  return [...ordered]
}

/** The vertical middle of an attribute's row. */
function rowOf(box: Box, name: string | null): number {
  const at = box.dataClass.attributes.findIndex((one) => one.name === name)
  return box.y + headHeight + (Math.max(0, at) + 0.5) * rowHeight + 2
}

function linesOf(boxes: readonly Box[]): readonly Line[] {
  const byName = new Map(boxes.map((box) => [box.dataClass.name, box]))
  return boxes.flatMap((box) =>
    box.dataClass.attributes
      .filter(({ kind }) => kind === 'relatedEntity')
      .flatMap(({ name, target }) => {
        const other = byName.get(target ?? '')
        if (other === undefined) return []
        const [from, to] = [box.dataClass.name, other.dataClass.name]
        return [{ from, attribute: name, to, path: curve(box, name, other) }]
      }),
  )
}

function curve(box: Box, name: string, other: Box): string {
  const [y1, y2] = [rowOf(box, name), rowOf(other, other.dataClass.key)]
  // Within one column the line leaves and returns on the right; otherwise it connects the near
  // sides.
  if (box.x === other.x) {
    const x = box.x + boxWidth
    return `M${x},${y1} C${x + loop},${y1} ${x + loop},${y2} ${x},${y2}`
  }
  const isRight = other.x > box.x
  const [x1, x2] = isRight ? [box.x + boxWidth, other.x] : [box.x, other.x + boxWidth]
  const bend = isRight ? gap / 2 : -gap / 2
  return `M${x1},${y1} C${x1 + bend},${y1} ${x2 - bend},${y2} ${x2},${y2}`
}

export type Direction = 'ArrowLeft' | 'ArrowRight' | 'ArrowUp' | 'ArrowDown'

/** The nearest box in a direction; null at the edge of the diagram. */
export function neighbourOf(boxes: readonly Box[], from: Box, direction: Direction): Box | null {
  const isAcross = direction === 'ArrowLeft' || direction === 'ArrowRight'
  const sign = direction === 'ArrowRight' || direction === 'ArrowDown' ? 1 : -1
  const distance = (box: Box) => {
    const [dx, dy] = [box.x - from.x, box.y + box.height / 2 - from.y - from.height / 2]
    const [along, aside] = isAcross ? [dx, dy] : [dy, dx]
    return along * sign > 0 && (isAcross || dx === 0)
      ? Math.abs(along) + 2 * Math.abs(aside)
      : Number.POSITIVE_INFINITY
  }
  const nearest = boxes.reduce((best, box) => (distance(box) < distance(best) ? box : best), from)
  return nearest === from ? null : nearest
}

/** The lines of a name that is drawn large across its box: `PurchaseOrder` has two. */
export function nameLines(name: string): readonly string[] {
  const words = name.match(/[A-Z]+[^A-Z_]*_*|[^A-Z_]+_*|_+/g) ?? [name]
  const first = words.slice(0, 3)
  return words.length > 3 ? [...first, words.slice(3).join('')] : first
}
