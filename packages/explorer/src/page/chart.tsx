import { type Chart, scaleOf, ticksOf, timeTicks } from './chart-data.ts'
import { cut } from './field-value.ts'
import { useWidth } from './use-width.ts'

const height = 300
const left = 64
const top = 12
const right = 36

/** A chart in plain SVG, with a table of its numbers for screen readers. */
export function Bars({ chart, title }: { chart: Chart; title: string }) {
  const { points, form, others } = chart
  const [frame, available] = useWidth<HTMLElement>(760)
  const width = Math.min(900, available)
  const band = (width - left - right) / points.length
  // Long labels of bars are rotated.
  const every = Math.ceil(points.length / 24)
  const isAskew = form === 'bars' && band * every < 84
  const bottom = isAskew ? 84 : 30
  const values = points.map(({ value }) => value)
  const ticks = ticksOf(Math.min(0, ...values), Math.max(0, ...values), 5)
  const [low = 0, high = 1] = [ticks[0], ticks.at(-1)]
  const y = scaleOf([low, high], [height - bottom, top])
  const times = points.map(({ time }) => time)
  const [from, to] = [times[0] ?? 0, times.at(-1) ?? 0]
  const xOfTime = scaleOf([from, to], [left + 8, width - right])
  const isLine = form === 'line'
  const x = (at: number) => (isLine ? xOfTime(times[at] ?? 0) : left + band * (at + 0.5))
  return (
    <figure class="chart" ref={frame}>
      <svg
        width={width}
        height={height}
        role="img"
        aria-label={`Chart: ${title}, ${points.length} values`}
      >
        {ticks.map((tick) => (
          <g key={tick}>
            <path class="tick" d={`M${left},${y(tick)}H${width - right}`} />
            <text x={left - 8} y={y(tick) + 4} text-anchor="end">
              {tick.toLocaleString('en', {
                notation: Math.abs(tick) >= 100_000 ? 'compact' : 'standard',
              })}
            </text>
          </g>
        ))}
        {form === 'bars' &&
          points.map(({ label, value }, at) => (
            <rect
              key={label}
              class="chart-bar"
              x={x(at) - band * 0.38}
              y={Math.min(y(0), y(value))}
              width={band * 0.76}
              height={Math.max(1, Math.abs(y(value) - y(0)))}
            >
              <title>{`${label}: ${shown(value)}`}</title>
            </rect>
          ))}
        {form === 'line' && (
          <path
            class="line"
            d={`M${points.map(({ value }, at) => `${x(at)},${y(value)}`).join('L')}`}
          />
        )}
        {form === 'line' &&
          points.map(({ label, value }, at) => (
            <circle
              key={label}
              class="dot"
              cx={x(at)}
              cy={y(value)}
              r={points.length > 60 ? 1.5 : 3}
            >
              <title>{`${label}: ${shown(value)}`}</title>
            </circle>
          ))}
        {isLine &&
          timeTicks(from, to, (width - left - right) / 80).map(({ time, label }) => (
            <g key={time}>
              <path class="tick" d={`M${xOfTime(time)},${height - bottom}v6`} />
              <text x={xOfTime(time)} y={height - bottom + 18} text-anchor="middle">
                {label}
              </text>
            </g>
          ))}
        {points.map(({ label }, at) =>
          !isLine && at % every === 0 ? (
            <text
              key={label}
              class="x-label"
              x={x(at)}
              y={height - bottom + 16}
              text-anchor={isAskew ? 'end' : 'middle'}
              transform={isAskew ? `rotate(-35 ${x(at)} ${height - bottom + 16})` : undefined}
            >
              {cut(label, 17)}
            </text>
          ) : null,
        )}
      </svg>
      <figcaption>
        {title}
        {points.length === 0 && ': nothing to draw'}
        {others > 0 && `; ${others} smaller groups are not shown`}
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
