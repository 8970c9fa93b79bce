/**
 * `npm run size`: prints the minified, gzipped sizes of browser bundles: the kernel, what each
 * capability adds, everything. They are of the built packages, which it builds if they are
 * outdated. Also prints the parts of everything, minified. Exits with 1 above a budget.
 */
import { budgetOf, bundles, capabilityNames, measureBundle } from './bundle-size.mjs'
import { prepare, runMain } from './prepare.mjs'

const line = (/** @type {number} */ bytes, /** @type {string} */ text) =>
  console.log(`${String(bytes).padStart(8)}  ${text}`)

await runMain(async () => {
  prepare()
  let parts = /** @type {[string, number][]} */ ([])
  let kernel = 0
  for (const bundle of bundles) {
    const { name, program, goal, recorded } = bundle
    const measured = await measureBundle(program)
    if (name === 'everything') parts = measured.parts
    kernel ||= measured.gzipped
    line(measured.gzipped, `${name} (recorded ${recorded}, goal ${goal})`)
    if (measured.gzipped > budgetOf(bundle)) process.exitCode = 1
  }
  console.log('\nEach capability, added to the kernel:')
  for (const name of await capabilityNames()) {
    const program = `export { attribute, createStore, defineDataClass, ${name} } from '@entia/core/kernel'`
    line((await measureBundle(program)).gzipped - kernel, name)
  }
  console.log('\nParts of everything, minified:')
  for (const [part, bytes] of parts) line(bytes, part)
})
