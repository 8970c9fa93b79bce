import { createRequire } from 'node:module'
import { setSubject } from '../operations/record-sets.js'
import { versionOf } from '../package-version.js'

const { RoaringBitmap32 } = createRequire(import.meta.url)('roaring')

/** CRoaring as a native module: sets only. */
export default setSubject('roaring', versionOf('roaring'), (ids) => new RoaringBitmap32(ids), {
  and: (left, right) => RoaringBitmap32.and(left, right).size,
  or: (left, right) => RoaringBitmap32.or(left, right).size,
  except: (left, right) => RoaringBitmap32.andNot(left, right).size,
})
