import type { Parameters } from '../../request/parameters.ts'
import { notApplicable } from '../context/not-applicable.ts'

const OF_READS = 'it belongs to a read'
const NOT_NARROWED = 'a deletion removes all named entities: narrow it by $filter'
const OF_CONTENT = 'the address names no image or BLOB'

/**
 * Parameters that other requests take. If ignored, a deletion would reach further than intended.
 */
const REFUSED: readonly (readonly [
  name: string,
  isGiven: (parameters: Parameters) => boolean,
  problem: string,
])[] = [
  ['$refresh', ({ refresh }) => refresh, 'a deletion cannot be previewed'],
  ['$top', ({ top }) => top !== null, NOT_NARROWED],
  ['$skip', ({ skip }) => skip > 0, NOT_NARROWED],
  [
    '$otherCollection',
    ({ otherCollection, logicOperator }) => otherCollection !== null && logicOperator === null,
    'it needs $logicOperator',
  ],
  ['$compute', ({ compute }) => compute !== null, OF_READS],
  ['$distinct', ({ distinct }) => distinct, OF_READS],
  ['$groupby', ({ groupBy }) => groupBy !== null, OF_READS],
  ['$having', ({ having }) => having !== null, OF_READS],
  ['$asArray', ({ asArray }) => asArray, OF_READS],
  ['$format', ({ format }) => format !== 'json', OF_READS],
  ['$queryplan', ({ queryPlan }) => queryPlan, OF_READS],
  ['$querypath', ({ queryPath }) => queryPath, OF_READS],
  ['$explain', ({ explain }) => explain, OF_READS],
  ['$subOrderby', ({ subOrderBy }) => subOrderBy !== null, OF_READS],
  ['$imageformat', ({ imageFormat }) => imageFormat !== null, OF_CONTENT],
  ['$binary', ({ binary }) => binary, OF_CONTENT],
  ['$rawPict', ({ rawPict }) => rawPict !== null, OF_CONTENT],
]

/**
 * Refuses a deletion with parameters that have no effect on it. `isOne`: the address names one
 * entity. Otherwise a name without its `$` is refused too, since it would be ignored. Throws
 * methodNotApplicable.
 */
export function refuseForDeletion(parameters: Parameters, isOne: boolean): void {
  for (const [name, isGiven, problem] of REFUSED)
    if (isGiven(parameters)) throw notApplicable(name, `${problem}. Nothing was deleted`)
  const { withoutDollar: name } = parameters
  if (isOne || name === null) return
  throw notApplicable(
    `The parameter "${name}"`,
    `it has no effect without its $: write "$${name}". Nothing was deleted`,
  )
}
