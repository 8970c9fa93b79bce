import type { AccessAction, RestErrorTexts } from './error-details.ts'

const ACCESS_CODES: { readonly [A in AccessAction]: number } = {
  read: 1557,
  update: 1558,
  create: 1559,
  delete: 1560,
  call: 1561,
  describe: 1609,
  lock: 1558,
}

/**
 * Errors of requests that were read, but cannot be answered: data, files, functions, logins and
 * permissions.
 */
export const DATA_ERRORS = {
  attributeListInvalid: {
    errCode: 1804,
    message: (d) =>
      `Cannot completely build a list of attributes with "${d.attribute}" for the "${d.dataClass}" dataclass.`,
  },
  attributeListEmpty: {
    errCode: 1816,
    message: (d) => `"${d.parameter}" needs an attribute: name it in the path or in $attributes.`,
  },
  expandListInvalid: {
    errCode: 1805,
    message: (d) =>
      `Cannot completely build an expand list with "${d.attribute}" for the "${d.dataClass}" dataclass.`,
  },
  orderByInvalid: {
    errCode: 1810,
    message: (d) => `Cannot order by "${d.attribute}" in the "${d.dataClass}" dataclass.`,
  },
  methodNotApplicable: {
    errCode: 1813,
    message: (d) => `${d.what} is not applicable: ${d.problem}.`,
  },
  keyMalformed: {
    errCode: 1541,
    message: (d) =>
      `The key "${d.key}" is malformed for the "${d.dataClass}" dataclass: ${d.problem}.`,
  },
  entityCannotBeLoaded: {
    errCode: 1543,
    message: (d) =>
      `Cannot load entity# ${d.key} in the "${d.dataClass}" dataclass${d.problem === undefined ? '' : `: ${d.problem}`}.`,
  },
  entityCannotBeSaved: {
    errCode: (d) => (d.key === null ? 1534 : 1517),
    message: (d) =>
      `${d.key === null ? `The new entity of the "${d.dataClass}" dataclass` : `The entity# ${d.key} in the "${d.dataClass}" dataclass`} cannot be saved. ${d.problem}`,
  },
  entityCannotBeRemoved: {
    errCode: 1518,
    message: (d) =>
      `The entity# ${d.key} in the "${d.dataClass}" dataclass cannot be deleted. ${d.problem}`,
  },
  recordCannotBeSaved: {
    errCode: 1046,
    message: (d) =>
      `Cannot save record ${d.recordNumber} in table ${d.dataClass} of database ${d.store}.`,
  },
  insertWithKey: {
    errCode: 9109,
    message: (d) =>
      `$method=insert creates entities of the "${d.dataClass}" dataclass only: leave out __KEY, or use $method=update.`,
  },
  preconditionFailed: {
    errCode: 9110,
    message: (d) =>
      `Entity# ${d.key} of the "${d.dataClass}" dataclass has another stamp than If-Match asks for.`,
  },
  entitySetOfOtherClass: {
    errCode: 1803,
    message: (d) => `The "${d.id}" entity set does not belong to the "${d.dataClass}" dataclass.`,
  },
  subEntitySetNotApplicable: {
    errCode: 1815,
    message: (d) => `$method=subentityset is not applicable: ${d.problem}.`,
  },
  otherCollectionMissing: {
    errCode: 1819,
    message: (d) =>
      `$logicOperator=${d.operator} needs $otherCollection, the id of a second entity set.`,
  },
  otherCollectionInvalid: {
    errCode: 1820,
    message: (d) =>
      `$otherCollection "${d.id}" is no entity set of the "${d.dataClass}" dataclass: it expired, was released or never created.`,
  },
  pictureTypeUnknown: {
    errCode: 1824,
    message: (d) =>
      `${d.found} is none of the images that are stored: PNG, JPEG, GIF, TIFF, WebP and BMP.`,
  },
  pictureReferenceUnknown: {
    errCode: 1825,
    message: (d) => `The uploaded image "${d.id}" cannot be found: it expired or was never sent.`,
  },
  blobReferenceUnknown: {
    errCode: 1826,
    message: (d) => `The uploaded BLOB "${d.id}" cannot be found: it expired or was never sent.`,
  },
  functionFailed: {
    errCode: 9010,
    message: (d) =>
      `Function "${d.name}" of ${d.owner.replace(/^The /, 'the ')} failed: ${d.problem}`,
  },
  functionParameterInvalid: {
    errCode: 9111,
    message: (d) => `Parameter ${d.position} of function "${d.name}" cannot be used: ${d.problem}`,
  },
  functionNotOnGet: {
    errCode: 1829,
    message: (d) => `Function "${d.name}" cannot be called by GET. Use POST.`,
  },
  loginFailed: { errCode: 1822, message: (d) => `The login is refused: ${d.problem}.` },
  loginRequired: {
    errCode: 9120,
    message: (d) =>
      d.by === 'host'
        ? `${d.what} needs a user: send the credentials that the application expects.`
        : `${d.what} needs a login: POST to $directory/login first.`,
  },
  identityRefused: {
    errCode: 9122,
    message: () => 'The credentials of the request are refused. Send valid ones, or none.',
  },
  directoryMissing: {
    errCode: 1814,
    message: (d) => `Logins need a directory of users (option "${d.option}").`,
  },
  accessDenied: {
    errCode: (d) => ACCESS_CODES[d.action],
    message: (d) =>
      d.action === 'call'
        ? `No permission to execute function "${d.name ?? ''}" of the ${d.dataClass === '' ? 'datastore' : `"${d.dataClass}" dataclass`}.`
        : `No permission to ${d.action} entities of the "${d.dataClass}" dataclass.`,
  },
  attributeAccessDenied: {
    errCode: 1608,
    message: (d) =>
      `No permission to ${d.action} the "${d.attribute}" attribute of the "${d.dataClass}" dataclass.`,
  },
} satisfies Partial<RestErrorTexts>
