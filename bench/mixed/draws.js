// Key distributions of the mixes: uniform over the existing keys, or the distributions of YCSB.

/** The skew of all YCSB distributions. */
const theta = 0.99

/** The IDs of the existing rows; drawing, adding and removing take constant time. */
export class LivingIds {
  #ids
  #next
  /** Changes since `mark`: position and ID of a removed row, null for an added one. */
  #log = null

  /** @param {number} count   the IDs 1 to `count` exist */
  constructor(count) {
    this.#ids = Array.from({ length: count }, (_, index) => index + 1)
    this.#next = count + 1
  }

  /** Records the state that `undo` restores. */
  mark() {
    this.#log = []
    return this
  }

  undo() {
    for (let step = this.#log.pop(); step !== undefined; step = this.#log.pop()) {
      if (step === null) {
        this.#ids.pop()
        this.#next--
      } else {
        const { place, id } = step
        if (place < this.#ids.length) this.#ids.push(this.#ids[place])
        this.#ids[place] = id
      }
    }
  }

  /** @param {() => number} random */
  draw(random) {
    return this.#ids[Math.floor(random() * this.#ids.length)]
  }

  /** Adds a new ID and returns it. */
  add() {
    this.#log?.push(null)
    this.#ids.push(this.#next)
    return this.#next++
  }

  /** Draws an ID and removes it. @param {() => number} random */
  remove(random) {
    const place = Math.floor(random() * this.#ids.length)
    return this.#removeAt(place)
  }

  /** Removes an ID in time proportional to the number of rows. */
  removeId(id) {
    this.#removeAt(this.#ids.indexOf(id))
  }

  #removeAt(place) {
    const id = this.#ids[place]
    this.#log?.push({ place, id })
    const last = this.#ids.pop()
    if (place < this.#ids.length) this.#ids[place] = last
    return id
  }
}

/**
 * Ranks from 0 to `count - 1`; rank 0 is the most frequent.
 * Source: Gray et al., "Quickly generating billion-record synthetic databases", as YCSB uses it.
 * @param {number} count
 * @returns {(random: () => number) => number}
 */
export function zipfian(count) {
  let zeta = 0
  for (let rank = 1; rank <= count; rank++) zeta += rank ** -theta
  const zetaOfTwo = 1 + 0.5 ** theta
  const alpha = 1 / (1 - theta)
  const eta = (1 - (2 / count) ** (1 - theta)) / (1 - zetaOfTwo / zeta)
  return (random) => {
    const share = random()
    const scaled = share * zeta
    if (scaled < 1) return 0
    if (scaled < zetaOfTwo) return 1
    return Math.floor(count * (eta * share - eta + 1) ** alpha)
  }
}

/** A bijective mix of 32 bits. */
export function scrambled(number) {
  let bits = number >>> 0
  bits = Math.imul(bits ^ (bits >>> 16), 0x85ebca6b)
  bits = Math.imul(bits ^ (bits >>> 13), 0xc2b2ae35)
  return (bits ^ (bits >>> 16)) >>> 0
}
