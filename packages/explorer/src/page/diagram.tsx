import { type Box, boxWidth, headHeight, layOutModel, rowHeight } from './diagram-layout.ts'
import { cut } from './field-value.ts'
import type { Attribute } from './model.ts'
import { placeOf } from './place.ts'
import type { Scene } from './scene.ts'
import { useWidth } from './use-width.ts'

/** The catalog: a box per dataclass and a line per relation. A click shows the entities. */
export function DiagramView({ scene }: { scene: Scene }) {
  const [frame, width] = useWidth<HTMLDivElement>(960)
  const diagram = layOutModel(scene.model, width)
  return (
    <div class="diagram" ref={frame}>
      {/* biome-ignore lint/a11y/useSemanticElements: SVG has no HTML group. */}
      <svg
        width={diagram.width}
        height={diagram.height}
        role="group"
        aria-label="Dataclasses and relations"
      >
        {diagram.lines.map((line) => (
          <path class="relation" key={`${line.from}.${line.attribute}`} d={line.path}>
            <title>{`${line.from}.${line.attribute} → ${line.to}`}</title>
          </path>
        ))}
        {diagram.boxes.map((box) => (
          <ClassBox
            key={box.dataClass.name}
            box={box}
            open={() => scene.go(placeOf(box.dataClass.name))}
          />
        ))}
      </svg>
      <p class="legend">
        <span class="mark">◆</span> key <span class="mark">●</span> index{' '}
        <span class="mark">◉</span> unique <span class="mark">→</span> to one{' '}
        <span class="mark">⇉</span> to many <span class="mark">ƒ</span> computed or alias
      </p>
    </div>
  )
}

function ClassBox({ box, open }: { box: Box; open: () => void }) {
  const { dataClass, x, y, height } = box
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.key !== 'Enter' && event.key !== ' ') return
    event.preventDefault()
    open()
  }
  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: the box is a pointer target; the keyboard uses the link of its name.
    <g class="class-box" transform={`translate(${x} ${y})`} onClick={open}>
      <rect class="frame" width={boxWidth} height={height} rx={7} />
      {/* biome-ignore lint/a11y/useSemanticElements: SVG has no HTML link. */}
      <g
        role="link"
        tabIndex={0}
        aria-label={`${dataClass.name}: show entities`}
        onKeyDown={onKeyDown}
      >
        <rect class="head" x={1} y={1} width={boxWidth - 2} height={headHeight - 3} rx={6} />
        <text class="class-name" x={12} y={21}>
          {dataClass.name}
        </text>
      </g>
      <path class="rule" d={`M0,${headHeight - 2}H${boxWidth}`} />
      {dataClass.attributes.map((attribute, at) => (
        <g key={attribute.name} transform={`translate(0 ${headHeight + at * rowHeight + 16})`}>
          <text class="mark" x={12}>
            {markOf(attribute)}
          </text>
          <text class={attribute.isKey ? 'key-name' : undefined} x={30}>
            {cut(attribute.name, Math.floor((boxWidth - 50) / 7.9) - typeText(attribute).length)}
            <title>{attribute.name}</title>
          </text>
          <text class="type" x={boxWidth - 12} text-anchor="end">
            {typeText(attribute)}
          </text>
        </g>
      ))}
    </g>
  )
}

function markOf(attribute: Attribute): string {
  if (attribute.isKey) return '◆'
  if (attribute.kind === 'relatedEntity') return '→'
  if (attribute.kind === 'relatedEntities') return '⇉'
  if (attribute.kind !== 'storage') return 'ƒ'
  return attribute.unique ? '◉' : attribute.indexed ? '●' : ''
}

/** The type, with a star for a required value. */
export function typeText({ type, dateOnly, notNull }: Attribute): string {
  return `${type === 'date' && dateOnly ? 'day' : type}${notNull ? ' *' : ''}`
}
