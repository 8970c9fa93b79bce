import { selectionParameters, selectionPath } from './addresses.ts'
import { cut } from './field-value.ts'
import { membersOf } from './model.ts'
import { layOut, type PlacedNode, type PlanNode, planTreeOf } from './plan-tree.ts'
import { Problem } from './problem.tsx'
import type { Scene } from './scene.ts'
import { useAnswer } from './use-answer.ts'
import { useWidth } from './use-width.ts'

const indent = 34
const row = 66
const widest = 360
const narrowest = 250
const height = 52

/** How the filter was answered: its parts as a tree, with index, entities found and time of each. */
export function PlanView({ scene }: { scene: Scene }) {
  const { place, ask, version } = scene
  const path = selectionPath(place)
  const parameters = { ...selectionParameters(place), $queryplan: 'true', $querypath: 'true', $top: 0 }
  const key = JSON.stringify([path, parameters, version])
  const { value, refusal } = useAnswer(key, (signal) => ask(path, { parameters, signal }))
  if (refusal !== null) return <Problem refusal={refusal} />
  if (value === null) return <p class="empty">Asking …</p>
  const { __extendedQueryPath, __extendedQueryPlan, __COUNT } = membersOf(value)
  const planned = planTreeOf(__extendedQueryPlan)
  const tree = planTreeOf(__extendedQueryPath) ?? planned
  if (tree === null)
    return <p class="empty">Without a filter there is nothing to plan: every entity is shown. Write a filter above.</p>
  return <PlanTree tree={tree} count={Number(__COUNT)} />
}

function PlanTree({ tree, count }: { tree: PlanNode; count: number }) {
  const placed = layOut(tree)
  const depth = Math.max(...placed.map((one) => one.depth))
  const [frame, available] = useWidth<HTMLElement>(1000)
  const width = Math.max(narrowest, Math.min(widest, available - depth * indent - 2))
  const most = Math.max(1, ...placed.map(({ node }) => node.found ?? 0))
  const scans = placed.filter(({ node }) => node.kind === 'scan').length
  return (
    <section class="plan" aria-label="Plan of the query">
      <p>
        {count.toLocaleString('en')} entities.{' '}
        {scans === 0
          ? 'Every comparison uses an index.'
          : `${scans} ${scans === 1 ? 'comparison looks' : 'comparisons look'} at every entity: no index fits.`}
      </p>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable with the keyboard. */}
      <section class="scroll" tabIndex={0} aria-label="Tree" ref={frame}>
        {/* biome-ignore lint/a11y/useSemanticElements: a list of HTML cannot stand in SVG. */}
        <svg
          width={depth * indent + width + 2}
          height={placed.length * row}
          role="list"
          aria-label="Parts of the query"
        >
          {placed.map((one) => (
            <PlanStep key={one.row} placed={one} most={most} width={width} />
          ))}
        </svg>
      </section>
      <p class="note">
        Counts are of the dataclass of each part. For them the filter was run once more, part by part, each by itself;
        time is what its part took.
      </p>
    </section>
  )
}

function PlanStep({ placed, most, width }: { placed: PlacedNode; most: number; width: number }) {
  const { node, depth } = placed
  const [x, y] = [depth * indent, placed.row * row]
  const found = node.found === null ? 'not run' : `${node.found.toLocaleString('en')} found`
  const time = node.time === null ? '' : `${node.time} ms`
  const access = accessOf(node)
  const share = node.found === null ? 0 : (node.found / most) * (width - 2)
  return (
    // biome-ignore lint/a11y/noInteractiveElementToNoninteractiveRole lint/a11y/useSemanticElements: as above.
    <g
      role="listitem"
      class={`step ${node.kind}`}
      aria-label={[node.title, access, found, time].filter(Boolean).join(', ')}
    >
      {placed.parentRow !== null && (
        <path class="edge" d={`M${x - indent + 14},${placed.parentRow * row + height} V${y + height / 2} H${x}`} />
      )}
      <rect x={x + 0.5} y={y + 0.5} width={width} height={height} rx={6} />
      <rect class="share" x={x + 1} y={y + height - 3} width={share} height={3} />
      <text class="step-title" x={x + 12} y={y + 21}>
        {cut(node.title, Math.floor((width - 110) / 7.6))}
        <title>{node.title}</title>
      </text>
      <text class="step-access" x={x + 12} y={y + 40}>
        {cut(access, Math.floor((width - 90) / 6.7))}
      </text>
      <text class="step-found" x={x + width - 10} y={y + 21} text-anchor="end">
        {found}
      </text>
      <text class="step-time" x={x + width - 10} y={y + 40} text-anchor="end">
        {time}
      </text>
    </g>
  )
}

function accessOf(node: PlanNode): string {
  switch (node.kind) {
    case 'index':
      return `index ${node.index}`
    case 'scan':
      return `looks at every ${node.detail}`
    default:
      return node.detail
  }
}
