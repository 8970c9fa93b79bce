import { postgraphile } from 'postgraphile'
import ConnectionFilterPlugin from 'postgraphile-plugin-connection-filter'
import { loadPlainTables } from '../../cluster/servers/plain-tables.js'
import { listen } from '../../http/listen.js'
import { fieldNames } from '../../mixed/ycsb-data.js'
import { versionOf } from '../package-version.js'

const record = `key ${fieldNames.join(' ')}`
const employee = 'ID: id firstName lastName email salary birthDate active companyID: companyId'
const figures = 'count sum average min max'

/** A page of employees. */
const page = (variables, filter, order) => `query (${variables}, $skip: Int, $top: Int) {
  found: allEmployees(filter: ${filter}, orderBy: [${order}], offset: $skip, first: $top) {
    nodes { ${employee} } } }`

/** One document per kind of operation, as a client would have them. */
const documents = {
  read: `query ($key: String!) { found: itemByKey(key: $key) { ${record} } }`,
  scan: `query ($key: String!, $length: Int) {
    found: allItems(filter: { key: { greaterThanOrEqualTo: $key } }, orderBy: [KEY_ASC],
      first: $length) { nodes { ${record} } } }`,
  updateRecord: `mutation ($key: String!, $patch: ItemPatch!) {
    found: updateItemByKey(input: { key: $key, itemPatch: $patch }) { item { ${record} } } }`,
  insertRecord: `mutation ($item: ItemInput!) {
    found: createItem(input: { item: $item }) { item { ${record} } } }`,
  get: `query ($id: Int!) { found: employeeById(id: $id) { ${employee} } }`,
  companyOf: `query ($id: Int!) {
    found: employeeById(id: $id) { companyByCompanyId { ID: id name city revenue sector } } }`,
  staffOf: `query ($companyId: Int!) {
    found: companyById(id: $companyId) { employeesByCompanyId { nodes { ${employee} } } } }`,
  pageByName: page('$lastName: String!', '{ lastName: { equalTo: $lastName } }', 'FIRST_NAME_ASC'),
  pageBornBefore: page(
    '$before: Date!',
    '{ birthDate: { lessThan: $before } }',
    'SALARY_DESC, LAST_NAME_ASC',
  ),
  pageByCity: page(
    '$city: String!, $salary: Float!',
    '{ companyByCompanyId: { city: { equalTo: $city } }, salary: { greaterThan: $salary } }',
    'SALARY_DESC',
  ),
  pageByPrefix: page(
    '$prefix: String!',
    '{ lastName: { startsWith: $prefix } }',
    'LAST_NAME_ASC, FIRST_NAME_ASC',
  ),
  pageBySalary: page(
    '$low: Float!, $high: Float!',
    '{ salary: { greaterThanOrEqualTo: $low, lessThanOrEqualTo: $high } }',
    'SALARY_ASC',
  ),
  aggregateOfCity: `query ($city: String!) { found: figuresOfCity(place: $city) { ${figures} } }`,
  aggregateBornBefore: `query ($before: Date!) {
    found: figuresBornBefore(day: $before) { ${figures} } }`,
  update: `mutation ($id: Int!, $patch: EmployeePatch!) {
    found: updateEmployeeById(input: { id: $id, employeePatch: $patch }) {
      employee { ${employee} } } }`,
  insert: `mutation ($employee: EmployeeInput!) {
    found: createEmployee(input: { employee: $employee }) { employee { ${employee} } } }`,
  remove: `mutation ($id: Int!) {
    found: deleteEmployeeById(input: { id: $id }) { deletedEmployeeId } }`,
}

/** PostGraphile 4 has aggregates as functions of the database. */
const functions = `
  CREATE TYPE figures AS (count bigint, sum float8, average float8, min float8, max float8);
  CREATE FUNCTION figures_of_city(place text) RETURNS figures STABLE LANGUAGE sql AS
    'SELECT count(*), sum(salary), avg(salary), min(salary), max(salary) FROM employee
     WHERE company_id IN (SELECT id FROM company WHERE city = place)';
  CREATE FUNCTION figures_born_before(day date) RETURNS figures STABLE LANGUAGE sql AS
    'SELECT count(*), sum(salary), avg(salary), min(salary), max(salary) FROM employee
     WHERE birth_date < day'`

const post = (kind, variables) => ({
  method: 'POST',
  path: '/graphql',
  body: JSON.stringify({ query: documents[kind], variables }),
})
const columns = ({ ID, companyID, ...rest }) => ({
  ...rest,
  ...(ID === undefined ? {} : { id: ID }),
  ...(companyID === undefined ? {} : { companyId: companyID }),
})

/**
 * PostGraphile 4: GraphQL, which it compiles to one statement per query, with its plugin of
 * filters. Every request is in a transaction, as it always is there.
 * @type {import('../../cluster/servers/server.js').ClusterServer}
 */
export default {
  name: 'postgraphile',
  version: versionOf('postgraphile'),
  load: (place, data) => loadPlainTables(place, data, place.family === 'office' ? functions : ''),
  async start({ database, schema, applicationName, connections }) {
    const middleware = postgraphile(
      {
        connectionString: database,
        max: connections,
        application_name: applicationName,
        // For the names inside of functions.
        options: `-c search_path=${schema}`,
        idleTimeoutMillis: 2000,
      },
      schema,
      {
        appendPlugins: [ConnectionFilterPlugin],
        graphileBuildOptions: { connectionFilterRelations: true },
        ignoreRBAC: true,
        dynamicJson: true,
        disableQueryLog: true,
        retryOnInitFail: false,
        legacyRelations: 'omit',
      },
    )
    const port = await listen(middleware)
    // The schema is compiled by the first request.
    await fetch(`http://127.0.0.1:${port}/graphql`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: '{"query":"{ __typename }"}',
    }).then((answer) => answer.text())
    return port
  },
  request(operation) {
    const { kind, ...variables } = operation
    const { key, field, value } = operation
    if (kind === 'insert' && operation.record !== undefined)
      return post('insertRecord', { item: operation.record })
    if (kind === 'insert') return post('insert', { employee: columns(operation.values) })
    if (kind === 'update' && key !== undefined)
      return post('updateRecord', { key, patch: { [field]: value } })
    if (kind === 'update')
      return post('update', { id: operation.id, patch: columns(operation.patch) })
    return post(kind, variables)
  },
  read({ kind }, { data: { found } }) {
    if (kind === 'companyOf') return found?.companyByCompanyId
    if (kind === 'staffOf') return found.employeesByCompanyId.nodes
    return found?.nodes ?? found
  },
  /** An entity that is missing is data without a value, or an error of a mutation. */
  hasFailed: ({ errors }) =>
    errors !== undefined && !errors.every(({ message }) => /because no values were/.test(message)),
}
