import { type AttributeBytes, bytesText, type ClassBytes, readSizes, totalOf } from './operator.ts'
import { Problem } from './problem.tsx'
import type { Scene } from './scene.ts'
import { useAnswer } from './use-answer.ts'

/** The space of each dataclass, and in it of each attribute and index, the largest first. */
export function ServerSizes({ scene }: { scene: Scene }) {
  const { ask, version } = scene
  const { value, refusal } = useAnswer(
    'sizes',
    (signal) => ask('$operator/sizes', { signal }),
    String(version),
  )
  if (refusal !== null) return <Problem refusal={refusal} />
  if (value === null) return <p class="empty">Asking …</p>
  const classes = readSizes(value)
  const total = classes.reduce((sum, { bytes }) => sum + bytes, 0)
  const [most] = classes
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: a scrollable region must be reachable with the keyboard.
    <section class="scroll sizes" tabIndex={0} aria-label="Sizes">
      <p class="note">
        {bytesText(total)} in {classes.length} {classes.length === 1 ? 'dataclass' : 'dataclasses'}.
        Open one to see what its attributes and indexes cost.
      </p>
      {classes.map((one) => (
        <details key={one.dataClass} open={one === most}>
          <summary>
            <b>{one.dataClass}</b>
            <span>{bytesText(one.bytes)}</span>
            <span class="note">{one.entities.toLocaleString('en')} entities</span>
          </summary>
          <Attributes of={one} />
        </details>
      ))}
    </section>
  )
}

function Attributes({ of }: { of: ClassBytes }) {
  const most = Math.max(1, ...of.attributes.map(totalOf), of.other)
  return (
    <table class="facts">
      <thead>
        <tr>
          <th scope="col">Attribute</th>
          <th scope="col" class="number">
            Values
          </th>
          <th scope="col" class="number">
            Index
          </th>
          <th scope="col" class="number">
            Together
          </th>
          <th scope="col">
            <span class="unseen">Share</span>
          </th>
        </tr>
      </thead>
      <tbody>
        {of.attributes.map((one) => (
          <Row key={one.name} one={one} most={most} />
        ))}
        <tr>
          <th scope="row">
            <i>records, stamps and caches</i>
          </th>
          <td class="number">{bytesText(of.other)}</td>
          <td />
          <td class="number">{bytesText(of.other)}</td>
          <td>
            <Bar share={of.other / most} />
          </td>
        </tr>
      </tbody>
    </table>
  )
}

function Row({ one, most }: { one: AttributeBytes; most: number }) {
  const total = totalOf(one)
  return (
    <tr>
      <th scope="row">{one.name}</th>
      <td class="number">{bytesText(one.bytes)}</td>
      <td class="number">{one.index === null ? '–' : bytesText(one.index)}</td>
      <td class="number">{bytesText(total)}</td>
      <td>
        <Bar share={total / most} />
      </td>
    </tr>
  )
}

function Bar({ share }: { share: number }) {
  return (
    <div class="share-bar" aria-hidden="true" style={{ width: `${Math.round(share * 120)}px` }} />
  )
}
