/**
 * True if two values look the same to a component: equal primitives, or arrays and plain objects of
 * such values. Objects of other classes must be identical. Cost: O(values).
 */
export function isSameValue(one: unknown, other: unknown): boolean {
  if (Object.is(one, other)) return true
  if (typeof one !== 'object' || typeof other !== 'object' || one === null || other === null)
    return false
  const prototype = Object.getPrototypeOf(one)
  if (prototype !== Object.getPrototypeOf(other)) return false
  return (prototype === Object.prototype || Array.isArray(one)) && haveSameMembers(one, other)
}

/** True if the own enumerable members are the same, also those whose name is a symbol. */
export function haveSameMembers(one: object, other: object): boolean {
  const names = namesOf(one)
  return (
    names.length === namesOf(other).length &&
    names.every(
      (name) =>
        Object.hasOwn(other, name) && isSameValue(Reflect.get(one, name), Reflect.get(other, name)),
    )
  )
}

const namesOf = (value: object): (string | symbol)[] =>
  Reflect.ownKeys(value).filter((name) => Object.prototype.propertyIsEnumerable.call(value, name))
