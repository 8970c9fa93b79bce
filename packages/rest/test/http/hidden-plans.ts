import { attribute, createDataStore, defineDataClass } from '@entia/core'
import { expect } from 'vitest'
import type { Authorize, RestHandler, RestOptions } from '../../src/index.ts'
import { get } from './send.ts'

// Plans of callers who do not know everything that their filters lead to, for each engine.

/** Agents, with an alias that leads to the code names of their cases. */
export function createAgency(isCaseExposed: boolean) {
  const Case = defineDataClass(
    'Case',
    {
      ID: attribute.long({ key: true }),
      codename: attribute.string({ indexed: true, words: true }),
    },
    { exposed: isCaseExposed },
  )
  const Agent = defineDataClass('Agent', {
    ID: attribute.long({ key: true }),
    rank: attribute.long({ indexed: true }),
    work: attribute.relatedEntity('Case'),
    task: attribute.alias('work.codename'),
    superior: attribute.relatedEntity('Agent'),
  })
  const store = createDataStore({ name: 'agency', dataClasses: [Case, Agent] })
  store.Case.load(Array.from({ length: 9 }, (_, ID) => ({ ID, codename: `c ${ID % 3}` })))
  store.Agent.load(
    Array.from({ length: 200 }, (_, ID) => ({ ID, rank: ID % 5, work: ID % 9, superior: ID >> 1 })),
  )
  return store
}

const unless =
  (isNo: (question: Parameters<Authorize>[0]) => boolean): Authorize =>
  (question) =>
    !isNo(question)
const RULE = 'rank > 3 and work.codename = "c 1"'

/** Ways to hide the code names, with the names that plans must not have. */
export const HIDING: readonly {
  readonly title: string
  readonly isCaseExposed: boolean
  readonly hidden: RegExp
  readonly options?: Pick<RestOptions, 'authorize'>
}[] = [
  {
    title: 'a dataclass that is not exposed',
    isCaseExposed: false,
    hidden: /Case|codename/,
  },
  {
    title: 'the same behind authorize',
    isCaseExposed: false,
    hidden: /Case|codename/,
    options: { authorize: () => true },
  },
  {
    title: 'a dataclass that the caller may not know',
    isCaseExposed: true,
    hidden: /Case|codename/,
    options: {
      authorize: unless(({ action, dataClass }) => action === 'describe' && dataClass === 'Case'),
    },
  },
  {
    title: 'an attribute that the caller may not read',
    isCaseExposed: true,
    hidden: /codename/,
    options: { authorize: unless(({ attribute }) => attribute === 'codename') },
  },
  {
    title: 'a row filter on hidden attributes',
    isCaseExposed: false,
    hidden: /Case|codename|rank|index|[Ss]can|join/,
    options: {
      authorize: ({ action, dataClass, attribute }) =>
        attribute === undefined && action === 'read' && dataClass === 'Agent'
          ? RULE
          : attribute !== 'rank',
    },
  },
]

const ASKED = [
  '$filter="task = \'c 1\'"',
  '$filter="task % c"&$orderby=task',
  '$filter="superior.task begin c"&$orderby=superior.task desc',
  '$orderby=task',
  '$top=3',
]

/** Expects that no answer of a caller has a hidden name in its plans, in any form. */
export async function expectNoHiddenName(rest: RestHandler, hidden: RegExp): Promise<void> {
  for (const asked of ASKED) {
    const url = `/rest/Agent?$attributes=ID&$queryplan=true&$querypath=true&$explain=true&${asked}`
    const { status, body } = await get(rest, encodeURI(url))
    expect([asked, status]).toEqual([asked, 200])
    const { __queryPlan, __queryPath, __explain } = body
    const { __extendedQueryPlan, __extendedQueryPath } = body
    const { filter: _, ...explain } = __explain
    const extended = JSON.stringify([__extendedQueryPlan, __extendedQueryPath])
      // Names of members, and the kinds of nodes.
      .replaceAll(/"(joinPath|index)":|"type":"\w+"/g, '')
    const short = JSON.stringify([__queryPlan, __queryPath]).replaceAll('Join on Table', '')
    expect(
      `${extended}${short}${JSON.stringify(explain).replaceAll('"index":null', '')}`,
    ).not.toMatch(hidden)
  }
}
