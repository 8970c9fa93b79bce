import { lokiOperations } from '../operations/loki.js'
import { versionOf } from '../package-version.js'

/**
 * LokiJS with its defaults: it returns its internal objects. @type
 * {import('../../subjects/subject.js').Subject}
 */
export default {
  name: 'lokijs',
  version: versionOf('lokijs'),
  handsOutItsOwn: true,
  open: (data) => lokiOperations(data, {}),
}
