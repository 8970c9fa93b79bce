import type { Untyped } from '@entia/core'
import { decodeEntity, type Wire } from './decode.ts'
import type { EntityExtras } from './dehydrated.ts'
import { checkArgument, FunctionArgument, SENT, type SentArgument } from './function-argument.ts'
import type { RemoteCatalog, RemoteModels } from './remote-catalog.ts'
import type { Parameters, Transport } from './transport.ts'

/** The parts of a connection that its selections use. */
export interface Link {
  /** What `connect` returns. */
  readonly origin: object
  readonly transport: Transport
  readonly catalog: RemoteCatalog
  /** The entity that was JSON, with what it had lost. */
  withExtras(entity: object, extras: EntityExtras): object
  /** The entity set at an address. */
  entitySet(dataClass: string, address: string): Untyped
}

/**
 * Calls a function at an address below the connection's. `parameters` describe the selection that
 * it works on. `R` is the type of the result.
 */
export async function callFunction<R>(
  link: Link,
  path: string,
  args: readonly unknown[],
  parameters: Parameters = {},
): Promise<R> {
  const sent: SentArgument[] = []
  try {
    for (const [at, argument] of args.entries())
      if (argument instanceof FunctionArgument) sent.push(await argument[SENT]())
      else {
        checkArgument(`Argument ${at + 1}`, argument)
        sent.push({ wire: argument })
      }
    const answer = await link.transport.call(
      path,
      { ...parameters, $method: 'entityset', $top: 0 },
      sent.map(({ wire }) => wire),
    )
    return (await resultOf(link, answer)) as R
  } finally {
    await Promise.all(sent.map(({ release }) => release?.().catch(() => false)))
  }
}

async function resultOf({ catalog, entitySet }: Link, answer: unknown): Promise<unknown> {
  if (typeof answer !== 'object' || answer === null || answer instanceof Blob) return answer
  const { __ENTITYSET: address, __DATACLASS: dataClass, result } = answer as Wire
  if (typeof address === 'string') return entitySet(dataClass as string, address)
  const value = dataClass === undefined && 'result' in answer ? result : answer
  // A function may be called by a guest, who may not see the catalog.
  return holdsEntities(value) ? catalog.useAll((models) => inside(value, models)) : value
}

function holdsEntities(value: unknown): boolean {
  if (typeof value !== 'object' || value === null) return false
  return '__DATACLASS' in value || Object.values(value).some(holdsEntities)
}

/** Converts the entities and selections inside of a value. */
function inside(value: unknown, models: RemoteModels): unknown {
  if (typeof value !== 'object' || value === null) return value
  if (Array.isArray(value)) return value.map((each) => inside(each, models))
  const wire = value as Wire & { readonly __ENTITIES?: readonly Wire[] }
  const { __DATACLASS: name, __ENTITIES: list, __COUNT: count, __FIRST: skip } = wire
  if (typeof name !== 'string')
    return Object.fromEntries(
      Object.entries(wire).map(([member, each]) => [member, inside(each, models)]),
    )
  const model = models.byName.get(name)
  if (model === undefined) {
    models.unknown.add(name)
    return value
  }
  if (list === undefined) return decodeEntity(wire, model)
  const entities = list.map((each) => decodeEntity(each, model)).filter((each) => each !== null)
  return { count, skip, entities }
}
