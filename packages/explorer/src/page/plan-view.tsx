import { pageSize, selectionParameters, selectionPath } from './addresses.ts'
import { Refusal } from './api.ts'
import { cut } from './field-value.ts'
import { type DataClass, membersOf } from './model.ts'
import { explainTreeOf, layOut, type PlacedNode, type PlanNode, planTreeOf } from './plan-tree.ts'
import { Problem } from './problem.tsx'
import type { Scene } from './scene.ts'
import { Smaller } from './smaller.tsx'
import { useAnswer } from './use-answer.ts'
import { useWidth } from './use-width.ts'

const indent = 34
const row = 66
const widest = 360
const narrowest = 250
const height = 52

/** Two trees: the operators that found the page, and the parts of the filter. */
export function PlanView({ scene, dataClass }: { scene: Scene; dataClass: DataClass }) {
  const { place, ask, version } = scene
  const path = selectionPath(place)
  const parameters = {
    ...selectionParameters(place),
    $queryplan: 'true',
    $explain: 'true',
    $skip: place.page * pageSize,
    $top: pageSize,
  }
  const key = JSON.stringify([path, parameters, version])
  const { value, refusal } = useAnswer(key, async (signal) => {
    try {
      return await ask(path, { parameters: { ...parameters, $querypath: 'true' }, signal })
    } catch (error) {
      // Each part by itself may read much more than all of them together.
      if (!(error instanceof Refusal) || !error.isTooExpensive) throw error
      return ask(path, { parameters, signal })
    }
  })
  if (refusal !== null)
    return (
      <Problem refusal={refusal}>
        {refusal.isTooExpensive && <Smaller scene={scene} dataClass={dataClass} isSorted />}
      </Problem>
    )
  if (value === null) return <p class="empty">Asking …</p>
  const { __extendedQueryPath, __extendedQueryPlan, __explain, __COUNT } = membersOf(value)
  const parts = planTreeOf(__extendedQueryPath) ?? planTreeOf(__extendedQueryPlan)
  const taken = explainTreeOf(membersOf(__explain).root)
  return (
    <section class="plan" aria-label="Plan of the query">
      <p>{aboutScans(Number(__COUNT), parts)}</p>
      {taken !== null && (
        <>
          <h2>How this page was found</h2>
          <PlanTree tree={taken} label="Plan" />
          <p class="note">
            Read from the bottom up. Each step shows the expected and the actual number of entities.
          </p>
        </>
      )}
      {parts !== null && (
        <>
          <h2>Part by part</h2>
          <PlanTree tree={parts} label="Parts" />
          <p class="note">
            {__extendedQueryPath === undefined
              ? 'The parts have no counts: each by itself would read more than the server allows for one request.'
              : 'Counts are of the dataclass of each part. For them the filter was run once more, part by part, each by itself; time is what its part took.'}
          </p>
        </>
      )}
    </section>
  )
}

function aboutScans(count: number, parts: PlanNode | null): string {
  const entities = `${count.toLocaleString('en')} entities.`
  if (parts === null) return `${entities} There is no filter.`
  const scans = layOut(parts).filter(({ node }) => node.kind === 'scan').length
  if (scans === 0) return `${entities} Every comparison can use an index.`
  return `${entities} ${scans} ${scans === 1 ? 'comparison has' : 'comparisons have'} no index that fits.`
}

/** A plan as a tree that scrolls sideways. */
export function PlanTree({ tree, label }: { tree: PlanNode; label: string }) {
  const placed = layOut(tree)
  const depth = Math.max(...placed.map((one) => one.depth))
  const [frame, available] = useWidth<HTMLElement>(1000)
  const width = Math.max(narrowest, Math.min(widest, available - depth * indent - 2))
  const most = Math.max(1, ...placed.map(({ node }) => node.found ?? 0))
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: a scrollable region must be reachable with the keyboard.
    <section class="scroll" tabIndex={0} aria-label={label} ref={frame}>
      {/* biome-ignore lint/a11y/useSemanticElements: SVG has no HTML list. */}
      <svg
        width={depth * indent + width + 2}
        height={placed.length * row}
        role="list"
        aria-label={`${label}, step by step`}
      >
        {placed.map((one) => (
          <PlanStep key={one.row} placed={one} most={most} width={width} />
        ))}
      </svg>
    </section>
  )
}

function PlanStep({ placed, most, width }: { placed: PlacedNode; most: number; width: number }) {
  const { node, depth } = placed
  const [x, y] = [depth * indent, placed.row * row]
  const found = node.found === null ? 'not run' : `${node.found.toLocaleString('en')} found`
  const time = [
    node.estimated === null ? '' : `${node.estimated.toLocaleString('en')} expected`,
    node.time === null ? '' : `${node.time} ms`,
  ]
    .filter(Boolean)
    .join(' · ')
  const access = accessOf(node)
  const share = node.found === null ? 0 : (node.found / most) * (width - 2)
  return (
    // biome-ignore lint/a11y/noInteractiveElementToNoninteractiveRole lint/a11y/useSemanticElements: SVG has no HTML list items.
    <g
      role="listitem"
      class={`step ${node.kind}`}
      aria-label={[node.title, access, found, time].filter(Boolean).join(', ')}
    >
      {placed.parentRow !== null && (
        <path
          class="edge"
          d={`M${x - indent + 14},${placed.parentRow * row + height} V${y + height / 2} H${x}`}
        />
      )}
      <rect x={x + 0.5} y={y + 0.5} width={width} height={height} rx={6} />
      <rect class="share" x={x + 1} y={y + height - 3} width={share} height={3} />
      <text class="step-title" x={x + 12} y={y + 21}>
        {cut(node.title, Math.floor((width - 110) / 7.6))}
        <title>{node.title}</title>
      </text>
      <text class="step-access" x={x + 12} y={y + 40}>
        {cut(access, Math.floor((width - 44 - time.length * 6.4) / 6.7))}
        <title>{access}</title>
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
      return node.estimated === null ? `index ${node.index}` : node.detail || `index ${node.index}`
    case 'scan':
      return node.estimated === null ? `scans every ${node.detail}` : node.detail
    default:
      return node.detail
  }
}
