// The part of the WebAssembly binary format that loops over 128-bit lanes need. It is used to
// generate kernels, never at run time. Source: WebAssembly core specification, chapter 5 (binary
// format), and the opcode table of the fixed-width SIMD proposal.

/** Value types. */
export const type = { i32: 0x7f, v128: 0x7b }

/**
 * An unsigned number in LEB128: seven bits per byte, low end first; the high bit marks that more
 * bytes follow.
 */
export function unsigned(value) {
  const bytes = []
  do {
    const more = value > 0x7f
    bytes.push((value & 0x7f) | (more ? 0x80 : 0))
    value >>>= 7
  } while (value > 0)
  return bytes
}

/** The same with a sign: it is the second highest bit of the last byte. */
export function signed(value) {
  const bytes = []
  for (;;) {
    const byte = value & 0x7f
    value >>= 7
    const isLast = (value === 0 && byte < 0x40) || (value === -1 && byte >= 0x40)
    bytes.push(isLast ? byte : byte | 0x80)
    if (isLast) return bytes
  }
}

// SIMD instructions are the prefix 0xfd and a LEB128 opcode. Memory instructions end with alignment
// (0: no promise) and offset.
const simd = (opcode) => [0xfd, ...unsigned(opcode)]
const unaligned = (offset) => [0, ...unsigned(offset)]

/** Instructions, each a list of bytes. */
export const op = {
  getLocal: (local) => [0x20, local],
  setLocal: (local) => [0x21, local],
  /** Sets a local and leaves the value on the stack. */
  teeLocal: (local) => [0x22, local],
  i32Constant: (value) => [0x41, ...signed(value)],
  i32Add: [0x6a],
  i32LessUnsigned: [0x49],
  /** Opens a block without a result; a branch to it restarts it. */
  loop: [0x03, 0x40],
  branchIf: (depth) => [0x0d, depth],
  end: [0x0b],
  v128Load: (offset = 0) => [...simd(0x00), ...unaligned(offset)],
  v128Store: (offset = 0) => [...simd(0x0b), ...unaligned(offset)],
  v128And: simd(0x4e),
  /** The first operand and not the second. */
  v128AndNot: simd(0x4f),
  v128Or: simd(0x50),
  v128Xor: simd(0x51),
  /** The number of bits set in each of 16 bytes. */
  i8x16CountBits: simd(0x62),
  /** Adds neighbouring bytes into 8 sums of 16 bits. */
  i16x8AddPairs: simd(0x7d),
  /** Adds neighbouring 16-bit sums into 4 sums of 32 bits. */
  i32x4AddPairs: simd(0x7f),
  i32x4ShiftLeft: simd(0xab),
  i32x4Add: simd(0xae),
  i32x4Lane: (lane) => [...simd(0x1b), lane],
}

/**
 * A module with a memory (exported as `memory`) and functions that all have the same type.
 * @param {object} parts
 * @param {number[]} parts.parameters            value types
 * @param {number[]} parts.results
 * @param {number} parts.memoryPages             of 64 KiB
 * @param {{ name: string, locals: [count: number, type: number][], body: number[] }[]}
 * parts.functions body without its final `end`
 * @returns {Uint8Array}
 */
export function assembleModule({ parameters, results, memoryPages, functions }) {
  const functionType = 0x60
  const memoryExport = 0x02
  const functionExport = 0x00
  const noMaximum = 0x00
  return Uint8Array.from([
    ...[0x00, 0x61, 0x73, 0x6d], // "\0asm"
    ...[0x01, 0x00, 0x00, 0x00], // version 1
    ...section(
      1,
      list([[functionType, ...list(parameters.map((t) => [t])), ...list(results.map((t) => [t]))]]),
    ),
    ...section(3, list(functions.map(() => [0]))), // every function has type 0
    ...section(5, list([[noMaximum, ...unsigned(memoryPages)]])),
    ...section(
      7,
      list([
        [...text('memory'), memoryExport, 0],
        ...functions.map(({ name }, index) => [...text(name), functionExport, index]),
      ]),
    ),
    ...section(
      10,
      list(functions.map(({ locals, body }) => sized([...list(locals), ...body, ...op.end]))),
    ),
  ])
}

const list = (items) => [...unsigned(items.length), ...items.flat()]
const sized = (bytes) => [...unsigned(bytes.length), ...bytes]
const section = (id, content) => [id, ...sized(content)]
const text = (value) => sized([...new TextEncoder().encode(value)])
