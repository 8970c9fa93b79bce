import type { DataClass } from './model.ts'
import { diagramPlace, hashOf, placeOf } from './place.ts'
import type { Scene } from './scene.ts'

interface TrailProps {
  readonly scene: Scene
  readonly dataClass: DataClass
  readonly setLabel: string | null
}

/** The followed relations; each step links back. */
export function Trail({ scene, dataClass, setLabel }: TrailProps) {
  const { via, set, name } = scene.place
  return (
    <nav class="trail" aria-label="Trail">
      <ol>
        <li>
          <a href={hashOf(diagramPlace)}>{scene.model.name}</a>
        </li>
        {via.map((step, at) => {
          const before = via.slice(0, at)
          return (
            <li key={`${step.dataClass} ${step.key} ${step.relation}`}>
              <a href={hashOf(placeOf(step.dataClass, { via: before, open: step.key }))}>
                {step.dataClass} {step.key}
              </a>
              <span class="through"> .{step.relation}</span>
            </li>
          )
        })}
        <li>
          <h1>
            <a href={hashOf(placeOf(dataClass.name))}>{dataClass.name}</a>
          </h1>
        </li>
        {name !== null && <li class="through">{name}</li>}
        {set !== null && <li class="through">{setLabel ?? 'entity set'}</li>}
      </ol>
    </nav>
  )
}
