import { entiaServer } from './entia.js'

/** Entia with `globalStamp: 'rising'`: commits do not wait for each other. */
export default entiaServer('entia-rising', 'rising')
