/** 2^-1074 is the smallest difference of two doubles: every double is a multiple of it. */
const STEPS_BELOW_ONE = 1074n

/**
 * The sum of doubles, rounded once, computed with BigInt. Beyond the range of doubles it is
 * infinite.
 */
export function exactSum(values: readonly number[]): number {
  return toDouble(values.reduce((sum, value) => sum + stepsOf(value), 0n))
}

/** A double as a multiple of 2^-1074. */
function stepsOf(value: number): bigint {
  const view = new DataView(new ArrayBuffer(8))
  view.setFloat64(0, value)
  const bits = view.getBigUint64(0)
  const exponent = (bits >> 52n) & 0x7ffn
  const fraction = bits & 0xf_ffff_ffff_ffffn
  const size = exponent === 0n ? fraction : (fraction | (1n << 52n)) << (exponent - 1n)
  return bits >> 63n === 1n ? -size : size
}

/** The nearest double; of two equally near ones the even one. */
function toDouble(steps: bigint): number {
  const size = steps < 0n ? -steps : steps
  const excess = BigInt(Math.max(0, size.toString(2).length - 53))
  let kept = size >> excess
  const rest = size - (kept << excess)
  const half = excess === 0n ? 1n : 1n << (excess - 1n)
  if (excess > 0n && (rest > half || (rest === half && (kept & 1n) === 1n))) kept++
  // In two factors, so that neither overflows if the result does not.
  const shift = Number(excess - STEPS_BELOW_ONE)
  const near = Math.max(shift, -1000)
  const result = Number(kept) * 2 ** near * 2 ** (shift - near)
  return (steps < 0n ? -result : result) + 0
}
