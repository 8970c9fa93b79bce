import type { CaseTable, ConformanceCase } from '../case.ts'
import { aggregates } from './aggregates.ts'
import { attributes } from './attributes.ts'
import { catalog } from './catalog.ts'
import { deletions } from './deletions.ts'
import { entitySetRules } from './entity-set-rules.ts'
import { entitySets } from './entity-sets.ts'
import { errors } from './errors.ts'
import { filterRules } from './filter-rules.ts'
import { filters } from './filters.ts'
import { formats } from './formats.ts'
import { functions } from './functions.ts'
import { locks } from './locks.ts'
import { media } from './media.ts'
import { orderings } from './orderings.ts'
import { pages } from './pages.ts'
import { permissions } from './permissions.ts'
import { plans } from './plans.ts'
import { readRules } from './read-rules.ts'
import { reads } from './reads.ts'
import { sessions } from './sessions.ts'
import { writeRules } from './write-rules.ts'
import { writes } from './writes.ts'

/** The cases by subject. */
export const conformanceAreas: { readonly [area: string]: CaseTable } = {
  reads: [...reads, ...pages, ...readRules],
  catalog,
  filters: [...filters, ...filterRules],
  orderings,
  aggregates,
  attributes,
  entitySets: [...entitySets, ...entitySetRules],
  writes: [...writes, ...deletions, ...writeRules],
  locks,
  plans,
  formats,
  media,
  functions,
  sessions: [...sessions, ...permissions],
  errors,
}

/** All cases. */
export const conformanceCases: readonly ConformanceCase[] = Object.values(conformanceAreas).flat()
