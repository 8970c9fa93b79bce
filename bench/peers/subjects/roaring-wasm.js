import { RoaringBitmap32 } from 'roaring-wasm'
import { setSubject } from '../operations/record-sets.js'
import { versionOf } from '../package-version.js'

/** Bitmaps live in the module's memory, so each result is counted and freed. */
function counted(bitmap) {
  const { size } = bitmap
  bitmap.dispose()
  return size
}

/** CRoaring as WebAssembly: sets only. */
export default setSubject(
  'roaring-wasm',
  versionOf('roaring-wasm'),
  (ids) => new RoaringBitmap32(ids),
  {
    and: (left, right) => counted(RoaringBitmap32.and(left, right)),
    or: (left, right) => counted(RoaringBitmap32.or(left, right)),
    except: (left, right) => counted(RoaringBitmap32.andNot(left, right)),
  },
)
