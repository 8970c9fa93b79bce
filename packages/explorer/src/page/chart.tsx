import { type Chart, scaleOf, ticksOf } from './chart-data.ts'

const width = 760
const height = 300
const left = 64
const bottom = 46
const top = 12

/** A chart in plain SVG; the numbers stand in a table below it, for those who read rather than look. */
export function Bars({ chart, title }: { chart: Chart; title: string }) {
  const { points, form, others } = chart
  if (points.length === 0) return <p class="empty">Nothing to draw.</p>
  const values = points.map(({ value }) => value)
  const ticks = ticksOf(Math.min(0, ...values), Math.max(0, ...values), 5)
  const [low = 0, high = 1] = [ticks[0], ticks.at(-1)]
  const y = scaleOf([low, high], [height - bottom, top])
  const band = (width - left - 8) / points.length
  const x = (at: number) => left + band * (at + 0.5)
  const every = Math.ceil(points.length / 12)
  return (
    <figure class="chart">
      <svg viewBox={`0 0 ${width} ${height}`} role="img" aria-label={`Chart: ${title}, ${points.length} values`}>
        {ticks.map((tick) => (
          <g key={tick}>
            <path class="tick" d={`M${left},${y(tick)}H${width - 8}`} />
            <text x={left - 8} y={y(tick) + 4} text-anchor="end">
              {tick.toLocaleString('en', { notation: Math.abs(tick) >= 100_000 ? 'compact' : 'standard' })}
            </text>
          </g>
        ))}
        {form === 'bars' &&
          points.map(({ label, value }, at) => (
            <rect
              key={label}
              class="bar"
              x={x(at) - band * 0.38}
              y={Math.min(y(0), y(value))}
              width={band * 0.76}
              height={Math.max(1, Math.abs(y(value) - y(0)))}
            >
              <title>{`${label}: ${shown(value)}`}</title>
            </rect>
          ))}
        {form === 'line' && <path class="line" d={`M${points.map(({ value }, at) => `${x(at)},${y(value)}`).join('L')}`} />}
        {form === 'line' &&
          points.map(({ label, value }, at) => (
            <circle key={label} class="dot" cx={x(at)} cy={y(value)} r={points.length > 60 ? 1.5 : 3}>
              <title>{`${label}: ${shown(value)}`}</title>
            </circle>
          ))}
        {points.map(({ label }, at) =>
          at % every === 0 ? (
            <text
              key={label}
              class="x-label"
              x={x(at)}
              y={height - bottom + 16}
              text-anchor={band * every > 74 ? 'middle' : 'end'}
              transform={band * every > 74 ? undefined : `rotate(-35 ${x(at)} ${height - bottom + 16})`}
            >
              {label.length > 12 ? `${label.slice(0, 11)}…` : label}
            </text>
          ) : null,
        )}
      </svg>
      <figcaption>
        {title}
        {others > 0 && `; ${others} smaller groups are left out`}
      </figcaption>
      <details>
        <summary>Numbers</summary>
        <table class="facts">
          <thead>
            <tr>
              <th scope="col">value</th>
              <th scope="col" class="number">
                {title}
              </th>
              <th scope="col" class="number">
                rows
              </th>
            </tr>
          </thead>
          <tbody>
            {points.map(({ label, value, count }) => (
              <tr key={label}>
                <td>{label}</td>
                <td class="number">{shown(value)}</td>
                <td class="number">{count}</td>
              </tr>
            ))}
          </tbody>
        </table>
      </details>
    </figure>
  )
}

function shown(value: number): string {
  return value.toLocaleString('en', { maximumFractionDigits: 2 })
}
