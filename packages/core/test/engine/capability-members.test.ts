import { expectTypeOf, test } from 'vitest'
import type { Untyped } from '../../src/model/definition.ts'
import type { AnySelection } from '../../src/model/session-types.ts'
import type { AnyDataStore, StoreServerState } from '../../src/model/store-types.ts'
import type { DataClassReader, DataClassTable as PublicTable } from '../../src/model/table-types.ts'
import type { Selection } from '../../src/query/selection.ts'
import type { ALL_CAPABILITIES } from '../../src/store/create-store.ts'
import type { DataClassTable, DataStore } from '../../src/store/kernel/data-store.ts'
import type { ViewTable } from '../../src/view/view.ts'

type Each = (typeof ALL_CAPABILITIES)[number]
/** Names of the members that capabilities add to a class. */
type Added<Part extends string> = Each extends infer C
  ? C extends { readonly [part in Part]: infer Members }
    ? keyof Members
    : never
  : never
/** Members of the kernel that a capability replaces, for functions as filters. */
type Replaced = 'query'
/** Properties of a store that capabilities define when they are installed. */
type Installed = 'figures' | Exclude<keyof StoreServerState, 'as'>

test('kernel and capabilities together have every member of the public types, and the capabilities no others', () => {
  expectTypeOf<Added<'selection'>>().toEqualTypeOf<
    Exclude<keyof AnySelection, keyof Selection> | Replaced
  >()
  expectTypeOf<Added<'store'>>().toEqualTypeOf<
    Exclude<keyof AnyDataStore, keyof DataStore | Installed>
  >()
  expectTypeOf<Added<'table'> | Added<'queries'>>().toEqualTypeOf<
    Exclude<keyof PublicTable<Untyped, string> & string, keyof DataClassTable> | Replaced
  >()
  expectTypeOf<Added<'queries'>>().toEqualTypeOf<
    Exclude<keyof DataClassReader<Untyped, string> & string, keyof ViewTable> | Replaced
  >()
})
