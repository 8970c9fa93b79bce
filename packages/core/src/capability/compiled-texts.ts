import type { ClassModel } from '../model/catalog.ts'
import type { TextForm } from '../model/text-form.ts'
import { compileProjection, type Projection } from '../projection/projection.ts'
import type { RecordTexts } from '../projection/record-texts.ts'
import { compileTextForm } from '../projection/text-form.ts'
import { TextCache } from '../read/text-cache.ts'
import type { SelectionPort } from '../selection/selection-port.ts'

/** Projections kept compiled per dataclass. */
const CACHE_SIZE = 500

/** What was compiled for the columns as they were when `layouts` was this. */
interface Compiled<V> {
  readonly layouts: number
  readonly value: V
}

/** What is compiled for callers who know the same names, by `ClassModel.ordinal`. */
class CompiledTexts {
  readonly projections: (TextCache<Compiled<Projection>> | undefined)[] = []
  /** A form is known by its identity. */
  readonly forms: (WeakMap<TextForm, Compiled<RecordTexts>> | undefined)[] = []
}

const byNames = new WeakMap<object, CompiledTexts>()

function compiledFor(names: object): CompiledTexts {
  let compiled = byNames.get(names)
  if (compiled === undefined) byNames.set(names, (compiled = new CompiledTexts()))
  return compiled
}

/** The projection of a text for a caller. Where rows are hidden it is compiled for what can be seen now, else cached. */
export function projectionFor(port: SelectionPort, dataClass: ClassModel, text: string): Projection {
  const { sees, restrictsRows } = port.scope
  const compile = (): Projection => compileProjection(port.database, dataClass, text, sees)
  if (restrictsRows) return compile()
  const { layouts } = port.moment
  const cache = (compiledFor(port.scope.names).projections[dataClass.ordinal] ??= new TextCache(CACHE_SIZE))
  return cached(cache, text, layouts, compile)
}

/** As `projectionFor`, of a text form. */
export function textsFor(port: SelectionPort, dataClass: ClassModel, form: TextForm): RecordTexts {
  const { sees, restrictsRows } = port.scope
  const compile = (): RecordTexts => compileTextForm(port.database, dataClass, form, sees)
  if (restrictsRows) return compile()
  const { layouts } = port.moment
  const cache = (compiledFor(port.scope.names).forms[dataClass.ordinal] ??= new WeakMap())
  return cached(cache, form, layouts, compile)
}

function cached<K, V>(
  cache: { get(key: K): Compiled<V> | undefined; set(key: K, value: Compiled<V>): unknown },
  key: K,
  layouts: number,
  compile: () => V,
): V {
  const known = cache.get(key)
  if (known?.layouts === layouts) return known.value
  const value = compile()
  cache.set(key, { layouts, value })
  return value
}
