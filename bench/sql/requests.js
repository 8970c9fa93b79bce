/** Requests by the number of a repetition, each for other entities. @type {Map<string, (at: number, rows: number) => string>} */
export const REQUESTS = new Map([
  ['entity by key', (at, rows) => `Employee(${1 + ((at * 7919) % rows)})`],
  ['page of 100', (at) => `Employee?$top=100&$skip=${(at % 50) * 100}`],
  [
    'page of the 20 of a filter, ordered',
    (at) => `Employee?$filter="employer.ID=${1 + (at % 20)}"&$orderby=salary&$top=100`,
  ],
  [
    'page of 100 of a large selection, ordered',
    (at) => `Employee?$filter="salary>${60_000 + (at % 20) * 1000}"&$orderby=salary&$top=100`,
  ],
])

/** Pages one behind the other, far from the beginning. @type {Map<string, (at: number, rows: number) => string>} */
export const DEEP = new Map([
  [
    'page of 100 behind half of the entities',
    (at, rows) => `Employee?$top=100&$skip=${Math.floor(rows / 2) + at * 100}`,
  ],
  [
    'page of 100 behind half of the entities, ordered',
    (at, rows) => `Employee?$orderby=salary&$top=100&$skip=${Math.floor(rows / 2) + at * 100}`,
  ],
])
