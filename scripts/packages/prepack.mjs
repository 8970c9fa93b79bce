/**
 * The `prepack` and `postpack` scripts of every package: `node prepack.mjs`,
 * `node prepack.mjs --restore`.
 */
import { bundleTypes } from './bundle-types.mjs'
import { pruneBuild } from './prune-build.mjs'
import { restoreManifest, stripManifest } from './published-manifest.mjs'

if (process.argv[2] === '--restore') restoreManifest('.')
else {
  pruneBuild('.')
  await bundleTypes('.')
  stripManifest('.')
}
