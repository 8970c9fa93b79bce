import { type Ask, Refusal, reasonOf } from './api.ts'
import { attributeOf, type DataClass, listOf, membersOf } from './model.ts'
import { narrowed, rangeOf } from './narrow.ts'
import type { Scene } from './scene.ts'

interface SmallerProps {
  readonly scene: Scene
  readonly dataClass: DataClass
  /** Shows a sample instead, where one can be shown. */
  readonly takeSample?: () => void
  /** Whether the refused request was sorted. */
  readonly isSorted?: boolean
}

/** Offers smaller requests in place of one that is too expensive for the server. */
export function Smaller({ scene, dataClass, takeSample, isSorted }: SmallerProps) {
  const { ask, place, go, notify } = scene
  const narrow = async (parts: number) => {
    try {
      const condition = await firstPart(ask, dataClass, parts)
      const isNarrowed = place.filter === condition || place.filter.endsWith(` and ${condition}`)
      if (isNarrowed) notify('The filter is for this part already.')
      else go({ ...place, filter: narrowed(place.filter, condition), page: 0 })
    } catch (error) {
      notify(reasonOf(error))
    }
  }
  return (
    <span class="actions">
      {takeSample !== undefined && (
        <button type="button" onClick={takeSample}>
          Show a sample
        </button>
      )}
      {isSorted && place.order !== '' && (
        <button type="button" onClick={() => go({ ...place, order: '', page: 0 })}>
          Without the order
        </button>
      )}
      {dataClass.key !== null && (
        <>
          <button type="button" title="Adds a condition" onClick={() => narrow(10)}>
            Filter: a tenth
          </button>
          <button type="button" title="Adds a condition" onClick={() => narrow(100)}>
            Filter: a hundredth
          </button>
        </>
      )}
    </span>
  )
}

/**
 * A condition for one of so many parts of a dataclass: the entities with the smallest keys. Where
 * the server cannot sort by the key, the entity in the place of the last one gives the limit.
 */
async function firstPart(ask: Ask, dataClass: DataClass, parts: number): Promise<string> {
  const path = encodeURIComponent(dataClass.name)
  const $attributes = dataClass.key ?? ''
  const { __COUNT } = membersOf(await ask(path, { parameters: { $attributes, $top: 0 } }))
  const $skip = Math.floor(Number(__COUNT) / parts)
  const page = { $attributes, $skip, $top: 1 }
  const answer = await ask(path, { parameters: { ...page, $orderby: $attributes } }).catch(
    (error) => {
      if (error instanceof Refusal && error.isTooExpensive) return ask(path, { parameters: page })
      throw error
    },
  )
  const [last] = listOf(membersOf(answer).__ENTITIES)
  const key = attributeOf(dataClass, $attributes)
  return key === undefined ? '' : rangeOf(key, '', String(membersOf(last).__KEY))
}
