import type { ClassModel } from '../model/catalog.ts'
import type { TextForm } from '../model/text-form.ts'
import { compileProjection, type Projection } from '../projection/projection.ts'
import { TextCache } from '../read/text-cache.ts'
import type { SelectionPort } from '../selection/selection-port.ts'

/** Projections kept compiled per dataclass. */
const CACHE_SIZE = 500

/** A compiled projection, with `Moment.layouts` of the columns that it was compiled for. */
interface Compiled {
  readonly layouts: number
  readonly projection: Projection
}
interface CompiledCache<S> {
  get(source: S): Compiled | undefined
  set(source: S, compiled: Compiled): unknown
}

/** What is compiled for callers who know the same names, by `ClassModel.ordinal`. */
class CompiledTexts {
  readonly paths: (CompiledCache<string> | undefined)[] = []
  /** A form is known by its identity. */
  readonly forms: (CompiledCache<TextForm> | undefined)[] = []
}

const byNames = new WeakMap<object, CompiledTexts>()

/**
 * The projection of a list of paths or of a form, for a caller. Where rows are hidden it is
 * compiled for what can be seen now, else cached.
 */
export function projectionFor(
  port: SelectionPort,
  dataClass: ClassModel,
  source: string | TextForm,
): Projection {
  const { sees, names, restrictsRows } = port.scope
  if (restrictsRows) return compileProjection(port.database, dataClass, source, sees)
  let texts = byNames.get(names)
  if (texts === undefined) byNames.set(names, (texts = new CompiledTexts()))
  const cache: CompiledCache<never> =
    typeof source === 'string'
      ? (texts.paths[dataClass.ordinal] ??= new TextCache(CACHE_SIZE))
      : (texts.forms[dataClass.ordinal] ??= new WeakMap())
  const { layouts } = port.moment
  let compiled = cache.get(source as never)
  if (compiled?.layouts !== layouts) {
    compiled = { layouts, projection: compileProjection(port.database, dataClass, source, sees) }
    cache.set(source as never, compiled)
  }
  return compiled.projection
}
