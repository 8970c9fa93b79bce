import { randomBytes, scrypt, timingSafeEqual } from 'node:crypto'
import { promisify } from 'node:util'

const hash = promisify(scrypt)

/**
 * @typedef {{ readonly id: string, readonly fullName: string, readonly roles: readonly string[] }} Account
 */

/** @type {ReadonlyMap<string, { account: Account, salt: Buffer, password: Promise<unknown> }>} */
const accounts = new Map(
  [
    { id: 'ada', fullName: 'Ada Byron', roles: ['staff'], password: 'engine' },
    { id: 'bob', fullName: 'Bob Babbage', roles: [], password: 'cards' },
  ].map(({ password, ...account }) => {
    const salt = randomBytes(16)
    return [account.id, { account, salt, password: hash(password, salt, 32) }]
  }),
)

/**
 * The account with a name and a password; null if there is none.
 * @param {string} name
 * @param {string} password
 * @returns {Promise<Account | null>}
 */
export async function findAccount(name, password) {
  const known = accounts.get(name)
  if (known === undefined) return null
  const expected = /** @type {Buffer} */ (await known.password)
  const given = /** @type {Buffer} */ (await hash(password, known.salt, 32))
  return timingSafeEqual(given, expected) ? known.account : null
}
