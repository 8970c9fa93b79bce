import fc from 'fast-check'

/** A number from 0 to below 1, evenly spread: those of `fc.double` are nearly all tiny. */
export const fraction = fc.noBias(fc.nat(999)).map((thousandths) => thousandths / 1000)
