/**
 * The slowest requests that the limits of the interface allow, for each of its parts.
 * @typedef {object} StallRequest
 * @property {string} title
 * @property {string} path
 * @property {string} [method]
 * @property {string} [body]
 * @property {boolean} [changes]   it changes the data: sent last, and once
 */

const maxFilterCharacters = 8100

const address = (path, parameters = {}) =>
  `/rest/${path}?${Object.entries(parameters)
    .map(([name, value]) => `${name}=${encodeURIComponent(value)}`)
    .join('&')}`

const filtered = (filter, parameters = {}, path = 'Employee') =>
  address(path, { $filter: `"${filter}"`, ...parameters })

/** Repeats a comparison up to the length limit of a filter. */
function repeated(part, joint, most = 400) {
  let text = part(0)
  for (let i = 1; i < most; i++) {
    const longer = `${text} ${joint} ${part(i)}`
    // Escapes count toward the length of the address.
    if (longer.length > maxFilterCharacters || encodeURIComponent(longer).length > 15_500) break
    text = longer
  }
  return text
}

const letters = 'abcdefghijklmnopqrstuvwxyz'
const pair = (i) => letters[i % 26] + letters[Math.floor(i / 26) % 26]
const text = (i) => `${pair(i)}${pair(i * 7 + 3)}`

function deep(part, depth) {
  let filter = part(0)
  for (let i = 1; i < depth; i++) filter = `not(${filter} ${i % 2 === 0 ? 'and' : 'or'} ${part(i)})`
  return filter
}

/** Repeats a pattern up to the length limit of a list. */
function list(part) {
  const all = repeated((i) => `'@${part(i)}@'`, ',')
  return `[${all}]`
}

/** Matches nothing, after scanning a text of a and b. */
const deepPattern = (i) =>
  `${[...(i + 2).toString(2)].map((bit) => (bit === '1' ? 'b' : 'a')).join('@')}c`

/** Repeats a value up to the length limit of an address, next to the filter. */
function listed(filter, value) {
  const values = []
  for (
    let length = 0;
    length < 14_500;
    length += encodeURIComponent(JSON.stringify([values.at(-1)])).length - 3
  )
    values.push(value(values.length))
  return filtered(filter, { $params: JSON.stringify([values]) })
}

const everything = { $top: 10_000 }

/** @returns {readonly StallRequest[]} */
export function stallRequests() {
  const q = '@'
  return [
    { title: 'a contained text', path: filtered(`street = '${q}xq${q}'`) },
    {
      title: 'wildcards to the limit',
      path: filtered(`remark = '${q}${letters.split('').slice(0, 15).join(q)}${q}'`),
    },
    {
      title: 'wildcards that match nearly',
      path: filtered(`street = '${`${q}e`.repeat(15)}${q}'`),
    },
    {
      title: '100s of contained texts, or',
      path: filtered(repeated((i) => `street = '${q}${text(i)}${q}'`, 'or')),
    },
    {
      title: 'a list of 100s of contained texts',
      path: filtered(`street in ${list((i) => text(i))}`),
    },
    {
      title: 'a list of 100s of wildcards in long words',
      path: filtered(`story in ${list(deepPattern)}`),
    },
    {
      title: '100s of wildcards in long words, or',
      path: filtered(repeated((i) => `story = '${q}${deepPattern(i)}${q}'`, 'or')),
    },
    {
      title: 'a list of 100s of wildcards in long notes',
      path: filtered(`note in ${list(deepPattern)}`),
    },
    { title: 'the same of one by key', path: filtered(`ID = 1 and note in ${list(deepPattern)}`) },
    {
      title: 'a list of 100s of wildcards in towns',
      path: filtered(`town in ${list((i) => text(i))}`),
    },
    { title: 'a list of 100s of towns', path: listed('town in :1', (i) => `Town ${i * 7}`) },
    { title: 'a list of 100s of streets', path: listed('street in :1', (i) => `9${i} Street`) },
    {
      title: 'two lists of 1000s of numbers',
      path: listed('salary in :1 and salary in :1', (i) => i * 7),
    },
    {
      title: 'a list of 100s of wildcards over a relation',
      path: filtered(`manager.story in ${list(deepPattern)}`),
    },
    {
      title: '100s of contained texts, and not',
      path: filtered(repeated((i) => `street != '${q}${text(i)}${q}'`, 'and')),
    },
    {
      title: '100s of comparisons of texts, or',
      path: filtered(repeated((i) => `remark > '${text(i)}' and remark < '${text(i)}b'`, 'or')),
    },
    {
      title: '100s of properties of objects, or',
      path: filtered(repeated((i) => `details.level = ${i + 10}`, 'or')),
    },
    {
      title: '100s of computed comparisons, or',
      path: filtered(repeated((i) => `monthly = ${i + 0.25}`, 'or')),
    },
    {
      title: '100s of ranges of indexes, or',
      path: filtered(repeated((i) => `(salary > ${i + 1000} and lastName > 'B')`, 'or')),
    },
    { title: '64 levels of not', path: filtered(deep((i) => `street = '${q}${text(i)}${q}'`, 60)) },
    {
      title: 'relation to one',
      path: filtered(`company.name = '${q}9${q}' and company.sector != 'arts'`),
    },
    {
      title: '100s of relations to one, or',
      path: filtered(repeated((i) => `company.name = '${q}${i}${q}'`, 'or')),
    },
    {
      title: '100s of relations to many, or',
      path: filtered(repeated((i) => `reports.street = '${q}${text(i)}${q}'`, 'or')),
    },
    {
      title: '100s of relations to many, not',
      path: filtered(repeated((i) => `not (company.employees.salary = ${i + 5000})`, 'and')),
    },
    {
      title: 'chains of 7 relations',
      path: filtered("manager.manager.manager.manager.manager.reports.street = '@a@'"),
    },
    {
      title: 'chains of relations, or',
      path: filtered(
        repeated(
          (i) => `company.employees.manager.company.employees.remark = '${q}${text(i)}${q}'`,
          'or',
        ),
      ),
    },
    { title: 'order by words', path: address('Employee', { $orderby: 'town', ...everything }) },
    {
      title: 'distinct words in two spellings',
      path: address('Employee/town', { $distinct: true, ...everything }),
    },
    { title: 'order by text', path: address('Employee', { $orderby: 'street', ...everything }) },
    {
      title: 'order by 16 attributes',
      path: address('Employee', {
        $orderby:
          'active, birthDate, firstName desc, company.sector, company.city desc, manager.firstName, manager.street, remark, street, monthly, companyCity, salary, lastName, manager.company.name, details.level, email',
        ...everything,
      }),
    },
    {
      title: 'order by related text, last page',
      path: address('Employee', {
        $orderby: 'manager.street desc, remark',
        $skip: 90_000,
        ...everything,
      }),
    },
    {
      title: 'order by chain of relations',
      path: address('Employee', {
        $orderby: 'manager.manager.manager.manager.company.name, manager.manager.remark',
        ...everything,
      }),
    },
    {
      title: 'order by computed',
      path: address('Employee', { $orderby: 'monthly', ...everything }),
    },
    {
      title: 'order by property',
      path: address('Employee', { $orderby: 'details.note, details.level', ...everything }),
    },
    {
      title: 'distinct text',
      path: address('Employee/street', { $distinct: true, ...everything }),
    },
    {
      title: 'distinct dates',
      path: address('Employee/birthDate', { $distinct: true, ...everything }),
    },
    {
      title: 'distinct computed',
      path: address('Employee/monthly', { $distinct: true, ...everything }),
    },
    {
      title: 'distinct alias',
      path: address('Employee/companyCity', { $distinct: true, ...everything }),
    },
    { title: 'distinct property', path: address('Employee/details.note', { $distinct: true }) },
    {
      title: 'compute over all',
      path: address(
        'Employee/salary,birthDate,street,remark,firstName,lastName,email,active,companyID,monthly,companyCity,details.level',
        { $compute: '$all' },
      ),
    },
    {
      title: 'compute over all, distinct',
      path: address(
        'Employee/salary,birthDate,street,remark,firstName,lastName,email,active,companyID,monthly,companyCity,details.level',
        { $compute: '$all', $distinct: true },
      ),
    },
    { title: '10 000 entities', path: address('Employee', everything) },
    {
      title: '10 000 entities, one at a time related',
      path: address('Employee', { $expand: 'company,manager', ...everything }),
    },
    {
      title: '10 000 entities, deep paths',
      path: address('Employee', {
        $attributes:
          'lastName,company.name,company.city,manager.company.name,manager.manager.lastName',
        ...everything,
      }),
    },
    { title: '100 related of 400', path: address('Employee', { $expand: 'reports', $top: 400 }) },
    {
      title: 'expanded above the limit',
      path: address('Employee', {
        $expand: 'reports,company.employees,manager.reports',
        ...everything,
      }),
    },
    {
      title: '10 000 entities as an array',
      path: address('Employee', { $asArray: true, ...everything }),
    },
    {
      title: '10 000 entities as a dashboard',
      path: address('Employee', {
        $format: 'dashboard',
        $attributes: '*,company.*,manager.*',
        ...everything,
      }),
    },
    {
      title: '10 000 computed',
      path: address('Employee', { $attributes: 'monthly,companyCity', ...everything }),
    },
    {
      title: 'keep everything as a set',
      path: address('Employee', { $method: 'entityset', $top: 1 }),
    },
    {
      title: 'keep everything in an order',
      path: address('Employee', { $method: 'entityset', $orderby: 'street', $top: 1 }),
    },
    {
      title: 'a plan',
      path: filtered(
        repeated((i) => `company.name = '${q}${i}${q}'`, 'or'),
        { $queryplan: true, $top: 1 },
      ),
    },
    {
      title: 'a query path',
      path: filtered(
        repeated((i) => `street = '${q}${text(i)}${q}'`, 'or'),
        { $querypath: true, $top: 1 },
      ),
    },
    ...writes(),
  ]
}

const batch = (count, item) => JSON.stringify(Array.from({ length: count }, (_, i) => item(i)))

function writes() {
  const employee = (i) => ({ ID: 1_000_000 + i, lastName: `New${i}`, email: `n${i}@x`, salary: i })
  const change = (i) => ({ __KEY: String(i + 1), salary: 5 + i, street: `Moved ${i}` })
  const create = batch(10_000, employee)
  return [
    {
      title: 'create 10 000',
      path: address('Employee', {}),
      method: 'POST',
      body: create,
      changes: true,
    },
    {
      title: 'create 10 000 that exist',
      path: address('Employee', { $atomic: true }),
      method: 'POST',
      body: create,
    },
    {
      title: 'change 10 000, atomic',
      path: address('Employee', { $atomic: true }),
      method: 'POST',
      body: batch(10_000, change),
    },
    {
      title: 'change 10 000, filter of all',
      path: filtered("street != '@qqq@'", {}),
      method: 'PUT',
      body: batch(10_000, change),
    },
    {
      title: 'preview 10 000 changes',
      path: address('Employee', { $refresh: true }),
      method: 'POST',
      body: batch(10_000, change),
    },
    {
      title: 'delete 10 000 by key, atomic',
      path: address('Employee', { $method: 'delete', $atomic: true }),
      method: 'POST',
      body: batch(10_000, (i) => ({ __KEY: String(1_000_000 + i) })),
      changes: true,
    },
    {
      title: 'delete half, by filter',
      path: filtered('salary > 100000'),
      method: 'DELETE',
      changes: true,
    },
    {
      title: 'delete the rest, atomic',
      path: filtered('ID > 0', { $atomic: true }),
      method: 'DELETE',
      changes: true,
    },
  ]
}
