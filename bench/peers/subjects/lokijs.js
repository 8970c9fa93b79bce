import { lokiOperations } from '../operations/loki.js'
import { versionOf } from '../package-version.js'

/** LokiJS as it comes: it hands out the objects it keeps. @type {import('../../subjects/subject.js').Subject} */
export default {
  name: 'lokijs',
  version: versionOf('lokijs'),
  handsOutItsOwn: true,
  open: (data) => lokiOperations(data, {}),
}
