import type { CoreErrorDetails, ErrorTexts } from './error-details.ts'

/** The text around a place in it, with a caret below that place. */
export const caret = (text: string, offset: number): string => {
  const from = Math.max(0, offset - 60)
  const shown = text.slice(from, offset + 60).replace(/[\t\r\n]/g, ' ')
  return `\n  ${from > 0 ? '…' : ''}${shown}\n  ${' '.repeat(offset - from + (from > 0 ? 1 : 0))}^`
}
const list = (names: readonly string[] | undefined): string =>
  names === undefined || names.length === 0
    ? ''
    : ` Known: ${names.slice(0, 12).join(', ')}${names.length > 12 ? ', …' : ''}.`

/** Texts of the errors that several modules throw, other packages and applications among them. */
export const COMMON_ERRORS = {
  argumentInvalid: {
    errCode: 9056,
    message: (d) => `${d.argument} must be ${d.expected}, not ${d.found}.`,
  },
  budgetExceeded: {
    errCode: 9055,
    message: (d) =>
      `The request is too expensive: ${d.what} above ${d.limit} (option "${d.option}").`,
  },
  dataClassNotFound: {
    errCode: 1800,
    message: (d) => `The "${d.dataClass}" dataclass cannot be found.${list(d.known)}`,
  },
  attributeNotFound: {
    errCode: 1500,
    message: (d) =>
      `The "${d.attribute}" attribute cannot be found in the "${d.dataClass}" dataclass.${list(d.known)}`,
  },
  attributeNotApplicable: {
    errCode: 1508,
    message: (d) =>
      `The "${d.attribute}" attribute of the "${d.dataClass}" dataclass cannot be used for ${d.use}. ${d.remedy}`,
  },
  attributeNotSortable: {
    errCode: 1594,
    message: (d) =>
      `The "${d.attribute}" attribute of the "${d.dataClass}" dataclass cannot be used for sorting. ${d.remedy}`,
  },
  attributeReadOnly: {
    errCode: 1516,
    message: (d) =>
      `The "${d.attribute}" attribute of the "${d.dataClass}" dataclass is read-only. ${d.remedy}`,
  },
  functionNotFound: {
    errCode: 1827,
    message: (d) =>
      `${d.owner} has no function "${d.name}".${d.remedy === undefined ? '' : ` ${d.remedy}`}`,
  },
  functionRefused: { errCode: (d) => d.errCode, message: (d) => d.message },
  promiseReturned: {
    errCode: 9011,
    message: (d) => `${d.where} returned a promise, but the store is synchronous. ${d.remedy}`,
  },
  orderBySyntax: {
    errCode: 1810,
    message: (d) =>
      `The order is malformed at character ${d.offset + 1}: expected ${d.expected}.${caret(d.orderBy, d.offset)}`,
  },
  entityNotFound: {
    errCode: 1542,
    message: (d) =>
      `Cannot find entity with "${d.key}" key in the "${d.dataClass}" dataclass.${d.hint === undefined ? '' : ` ${d.hint}`}`,
  },
  entitySetNotFound: {
    errCode: 1802,
    message: (d) =>
      `The "${d.id}" entity set cannot be found: it expired, was released or never created.`,
  },
  valueInvalid: {
    errCode: 9032,
    message: (d) =>
      `The "${d.attribute}" attribute of the "${d.dataClass}" dataclass takes ${d.expected}, not ${d.found}.`,
  },
  relationTargetMissing: {
    errCode: 9033,
    message: (d) =>
      `The "${d.attribute}" relation of the "${d.dataClass}" dataclass points to "${d.key}", which does not exist in the "${d.target}" dataclass.`,
  },
  validationFailed: {
    errCode: 1570,
    message: (d) =>
      `${d.key === null ? `The new entity of the "${d.dataClass}" dataclass` : `Entity# ${d.key} of the "${d.dataClass}" dataclass`} fails validation: ${d.failures.map((f) => f.message).join(' ')}`,
  },
  hookTooDeep: {
    errCode: 9041,
    message: (d) =>
      `The hook "${d.hook}" of the "${d.dataClass}" dataclass called the store more than ${d.limit} levels deep.`,
  },
} satisfies Partial<ErrorTexts<keyof CoreErrorDetails>>
