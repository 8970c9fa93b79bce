import type { DataClass, Model } from './model.ts'

export interface Box {
  readonly dataClass: DataClass
  readonly x: number
  readonly y: number
  readonly height: number
}

export interface Line {
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
 * Lays out boxes in as many columns as fit, related dataclasses together, with a line per to-one
 * relation. In pixels.
 */
export function layOutModel(model: Model, width: number): Diagram {
  const fitting = Math.max(1, Math.floor((width - 2 * margin - loop + gap) / (boxWidth + gap)))
  const columns = Math.min(fitting, Math.max(1, model.classes.size))
  const heights = Array.from({ length: columns }, () => margin)
  const boxes = byRelation(model).map((dataClass) => {
    const column = heights.indexOf(Math.min(...heights))
    const y = heights[column] ?? margin
    const height = headHeight + dataClass.attributes.length * rowHeight + below
    heights[column] = y + height + apart
    return { dataClass, x: margin + column * (boxWidth + gap), y, height }
  })
  return {
    boxes,
    lines: boxes.flatMap((box) => linesFrom(box, boxes)),
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

function linesFrom(box: Box, boxes: readonly Box[]): readonly Line[] {
  return box.dataClass.attributes
    .filter(({ kind }) => kind === 'relatedEntity')
    .flatMap(({ name, target }) => {
      const other = boxes.find(({ dataClass }) => dataClass.name === target)
      if (other === undefined) return []
      return [
        {
          from: box.dataClass.name,
          attribute: name,
          to: other.dataClass.name,
          path: curve(box, name, other),
        },
      ]
    })
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
