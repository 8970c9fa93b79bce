import {
  type AnySelection,
  type ClassModel,
  checkedValue,
  EntiaError,
  isEntiaError,
  keyOf,
  type ToOneAttribute,
} from '@entia/core'
import type { CallParameter } from '../engine/function-query.ts'
import type { WriteItem } from '../engine/query-parts.ts'
import { restError } from '../errors/rest-error.ts'
import type { CallerStore } from './caller-store.ts'
import { refuseStale } from './entity-state.ts'
import { notFound } from './errors.ts'
import { selectSource } from './select.ts'
import type { StoredEntity } from './stored-entity.ts'
import { entityValues } from './values.ts'
import { withoutHiddenNames } from './visible-error.ts'

/**
 * The value that the function receives for an argument. Throws functionParameterInvalid around the
 * problem.
 */
export function parameterValue(
  callerStore: CallerStore,
  parameter: CallParameter,
  { name, position }: { readonly name: string; readonly position: number },
): unknown {
  try {
    switch (parameter.kind) {
      case 'json':
        return parameter.value
      case 'entity':
        return entityOf(callerStore, parameter.dataClass, parameter.item)
      case 'selection':
        return selectionOf(callerStore, parameter)
    }
  } catch (error) {
    if (!isEntiaError(error)) throw error
    const cause = withoutHiddenNames(callerStore.names, error)
    throw restError(
      'functionParameterInvalid',
      { name, position, problem: cause.message },
      { cause },
    )
  }
}

/**
 * An entity as it was sent, not saved. With a key: a private copy of the stored entity, overlaid
 * with the sent values. Without one: a plain object of the sent values. `update` and `insert`
 * accept both.
 */
function entityOf(callerStore: CallerStore, dataClass: ClassModel, item: WriteItem): object {
  const stored = item.reference === null ? undefined : callerStore.entity(item.reference)
  if (item.reference !== null && stored === undefined) throw notFound(dataClass, item.keyText)
  if (item.refusal !== null) throw item.refusal
  if (stored !== undefined) refuseStale(callerStore.store, dataClass, item, stored)
  const entity: object = stored ?? {}
  const put = (name: string, value: unknown): void => {
    Object.defineProperty(entity, name, {
      value,
      enumerable: true,
      writable: true,
      configurable: true,
    })
  }
  for (const [name, value] of Object.entries(entityValues(dataClass, item, stored))) {
    const attribute = dataClass.attributes.get(name)!
    if (attribute.kind === 'storage' || attribute.kind === 'calculated')
      put(name, checkedValue(attribute, value))
    if (attribute.kind !== 'relatedEntity') continue
    const { foreignKey } = attribute
    const related = relatedOf(callerStore, attribute, value as string | number | null)
    // A stored entity reads its relation through the foreign key.
    if (stored === undefined || foreignKey.hidden) put(name, related)
    if (!foreignKey.hidden) put(foreignKey.name, related === null ? null : keyOf(related))
  }
  return entity
}

function relatedOf(
  callerStore: CallerStore,
  { owner, name, target }: ToOneAttribute,
  key: string | number | null,
): StoredEntity | null {
  if (key === null) return null
  const related = callerStore.entity({ kind: 'key', dataClass: target, key })
  if (related !== undefined) return related
  throw new EntiaError('relationTargetMissing', {
    dataClass: owner.name,
    attribute: name,
    key: String(key),
    target: target.name,
  })
}

function selectionOf(
  callerStore: CallerStore,
  { id, dataClass: named }: Extract<CallParameter, { kind: 'selection' }>,
): AnySelection {
  const kept = callerStore.store.entitySets.peek(id, callerStore.session)
  const dataClass =
    kept === undefined ? undefined : callerStore.names.findDataClass(kept.dataClass.name)
  const shown = id.slice(0, 40)
  if (dataClass === undefined) throw new EntiaError('entitySetNotFound', { id: shown })
  if (named !== null && named !== dataClass.name)
    throw restError('entitySetOfOtherClass', { id: shown, dataClass: named.slice(0, 100) })
  const source = { kind: 'entitySet', dataClass, id, clean: false, combination: null } as const
  return selectSource(callerStore, { source, filter: null, orderBy: null, saved: null })!.selection
}
