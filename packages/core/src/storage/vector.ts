type Vector = Int32Array | Float64Array | Uint8Array | Uint16Array | Uint32Array

/** A longer copy of a vector; its new elements are 0. */
export function lengthened<V extends Vector>(vector: V, length: number): V {
  const longer = new (vector.constructor as new (length: number) => V)(length)
  longer.set(vector)
  return longer
}
