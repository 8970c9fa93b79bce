/**
 * A subject that offers only sets of record numbers, for W12.
 * @param {string} name
 * @param {string} version
 * @param {(ids: readonly number[]) => object} makeSet
 * @param {Record<'and' | 'or' | 'except', (left: object, right: object) => number>} operators
 * create a set and count it
 * @returns {import('../../subjects/subject.js').Subject}
 */
export function setSubject(name, version, makeSet, operators) {
  return {
    name,
    version,
    isIndexed: false,
    open({ employees }) {
      let left = makeSet([])
      let right = makeSet([])
      const idsOf = (isMember) => employees.filter(isMember).map(({ ID }) => ID)
      return {
        saveSelections: (salary, before) => {
          left = makeSet(idsOf((row) => row.salary >= salary))
          right = makeSet(idsOf((row) => row.birthDate < before))
        },
        combine: (operator) => operators[operator](left, right),
      }
    },
  }
}
