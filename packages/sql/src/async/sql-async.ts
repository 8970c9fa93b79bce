import {
  type AsyncLoadOptions,
  type AsyncTransactOptions,
  type Catalog,
  type ClassModel,
  EntiaError,
  type LoadOptions,
  type LoadResult,
  type Session,
  type Untyped,
} from '@entia/core'
import {
  type Access,
  callFunction,
  entitySetOf,
  loadInPieces,
  overBudget,
  rowsToKeep,
} from '@entia/core/internal'
import { predictedOfSave } from '../engine/predicted.ts'
import { SqlClass } from './sql-class.ts'
import { SqlReads } from './sql-reads.ts'
import { type AsyncPort, type AsyncRuns, SqlUser } from './sql-user.ts'
import { transact } from './transact.ts'

/** The dataclasses and functions of a store, as one user or one transaction reaches them. */
function asyncMembers(runs: AsyncRuns, port: AsyncPort): { readonly [name: string]: Untyped } {
  const { catalog } = port.context.model
  const classes = new Map(catalog.classes.map((model) => [model.name, new SqlClass(runs, model)]))
  const reads = new SqlReads(runs)
  const call = (
    name: string,
    args: readonly unknown[],
    run: (access: Access, given: readonly unknown[]) => unknown,
  ): Promise<unknown> =>
    reads.callOver(name, args, (access, given) =>
      callFunction(access, (values) => run(access, values), given, entitySetOf(access)),
    )
  return {
    ...Object.fromEntries(classes),
    // Throws `dataClassNotFound` for an unknown name.
    dataClass: (name: string) => classes.get(classNamed(catalog, name).name),
    call: (name: string, ...args: readonly unknown[]) =>
      call(name, args, ({ store }, given) => store.call(name, ...given)),
    singleton: (singleton: string) => ({
      call: (name: string, ...args: readonly unknown[]) =>
        call(name, args, ({ store }, given) => store.singleton(singleton).call(name, ...given)),
    }),
  }
}

/** The whole interface of a user, but for what concerns the store itself. */
export function asyncUser(
  port: AsyncPort,
  session: Session | null,
): { readonly [name: string]: Untyped } {
  const user = new SqlUser(port, session)
  return {
    ...asyncMembers(user, port),
    transact: (body: (tx: Untyped) => Promise<Untyped>, options?: AsyncTransactOptions) =>
      transact(port, user, (runs) => asyncMembers(runs, port), body, options),
    as: (other: Session | null) => asyncUser(port, other),
    load: (
      name: string,
      rows: Iterable<object> | AsyncIterable<object>,
      options?: AsyncLoadOptions,
    ): Promise<LoadResult> =>
      loadInPieces((piece, each) => load(port, user, name, piece, each), rows, options),
  }
}

/**
 * Inserts rows in one commit. They are read first, as a decision may run several times. Throws
 * `budgetExceeded` for more than `maxLoadRows`.
 */
async function load(
  port: AsyncPort,
  user: SqlUser,
  name: string,
  rows: Iterable<object> | AsyncIterable<object>,
  options: LoadOptions | undefined,
): Promise<LoadResult> {
  const dataClass = classNamed(port.context.model.catalog, name)
  const all: object[] = []
  const { maxLoadRows } = port.transactions
  for await (const row of rowsToKeep(rows))
    if (all.push(row) > maxLoadRows)
      throw overBudget(
        'rows of a load in one commit; give it "rowsPerCommit",',
        maxLoadRows,
        'transactions.maxLoadRows',
      )
  const predicted = all.flatMap((row) =>
    typeof row === 'object' && row !== null
      ? predictedOfSave(dataClass, null, new Map(Object.entries(row)))
      : [],
  )
  return user.write('a load', { predicted }, (access) => {
    const results: LoadResult[] = []
    access.write(() => results.push(access.table(name).load(all as Iterable<Untyped>, options)))
    return results[0]!
  })
}

function classNamed({ byName }: Catalog, dataClass: string): ClassModel {
  const found = byName.get(dataClass)
  if (found === undefined) throw new EntiaError('dataClassNotFound', { dataClass })
  return found
}
