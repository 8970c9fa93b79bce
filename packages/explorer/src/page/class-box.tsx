import { useMemo } from 'preact/hooks'
import { type Box, boxWidth, headHeight, nameLines, rowHeight } from './diagram-layout.ts'
import { cut } from './field-value.ts'
import type { Attribute } from './model.ts'

interface ClassBoxProps {
  readonly box: Box
  readonly tabIndex: number
  /** Whether the search of the diagram excludes it. */
  readonly isDimmed: boolean
  readonly open: () => void
  readonly focused: (event: FocusEvent) => void
}

/** A dataclass with its attributes; zoomed out, only its name. */
export function ClassBox({ box, tabIndex, isDimmed, open, focused }: ClassBoxProps) {
  const { dataClass, x, y, height } = box
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.key !== 'Enter' && event.key !== ' ') return
    event.preventDefault()
    open()
  }
  // The same nodes again: the renderer skips them when only the focus or the search changes.
  const rows = useMemo(() => <Rows box={box} />, [box])
  const name = useMemo(() => <LargeName box={box} />, [box])
  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: the box is a pointer target; the keyboard uses the link of its name.
    <g
      class={`class-box${isDimmed ? ' dimmed' : ''}`}
      transform={`translate(${x} ${y})`}
      onClick={open}
    >
      <rect class="frame" width={boxWidth} height={height} rx={7} />
      {/* biome-ignore lint/a11y/useSemanticElements: SVG has no HTML link. */}
      <g
        role="link"
        tabindex={tabIndex}
        aria-label={`${dataClass.name}: show entities`}
        data-class={dataClass.name}
        onFocus={focused}
        onKeyDown={onKeyDown}
      >
        <rect class="head-back" x={1} y={1} width={boxWidth - 2} height={headHeight - 3} rx={6} />
        <rect class="whole-back" x={1} y={1} width={boxWidth - 2} height={height - 2} rx={6} />
        {/* Clips a long name: a shortened text would not be a part of the label. */}
        {/* biome-ignore lint/a11y/noSvgWithoutTitle: the link has the name. */}
        <svg width={boxWidth - 8} height={headHeight}>
          <text class="class-name detail" x={12} y={21}>
            {dataClass.name}
          </text>
        </svg>
        {name}
      </g>
      {rows}
    </g>
  )
}

function LargeName({ box }: { box: Box }) {
  const lines = nameLines(box.dataClass.name)
  const longest = Math.max(...lines.map((line) => line.length))
  const size = Math.min(
    (boxWidth - 12) / (longest * 0.73),
    (box.height - 12) / (lines.length * 1.15),
    46,
  )
  const top = box.height / 2 - (lines.length * 1.15 * size) / 2 + size * 0.9
  return (
    <text class="large-name" style={{ fontSize: `${size}px` }} text-anchor="middle">
      {lines.map((line, at) => (
        <tspan key={line} x={boxWidth / 2} y={top + at * 1.15 * size}>
          {line}
        </tspan>
      ))}
    </text>
  )
}

function Rows({ box: { dataClass } }: { box: Box }) {
  return (
    <g class="detail">
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
