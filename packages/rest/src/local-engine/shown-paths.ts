import type { Projection } from '../engine/projection.ts'

/**
 * What an answer shows of related entities, as paths. A related entity is shown with its stamp, so
 * every change of it matters. `hides`: some entities are hidden from the caller, so a reference to
 * one depends on that entity.
 */
export function shownPaths(projection: Projection, hides: boolean, prefix = ''): readonly string[] {
  const paths: string[] = []
  for (const field of projection.fields) {
    const path = prefix + field.name
    switch (field.kind) {
      case 'value':
      case 'properties':
        if (field.attribute.kind === 'alias') paths.push(prefix + field.attribute.name)
        break
      case 'deferredEntity':
        if (hides) paths.push(path)
        break
      case 'deferredEntities':
        break
      case 'entity':
      case 'entities':
        paths.push(path, ...shownPaths(field.projection, hides, `${path}.`))
    }
  }
  return paths
}
