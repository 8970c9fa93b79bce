/**
 * Prints claims with what was found, and returns true if all of them hold.
 * @param {readonly (readonly [claim: string, holds: boolean, found?: string])[]} claims
 */
export function allHold(claims) {
  for (const [claim, holds, found = ''] of claims)
    console.log(`${holds ? 'ok  ' : 'FAIL'}  ${claim}${found === '' ? '' : `: ${found}`}`)
  return claims.every(([, holds]) => holds)
}
