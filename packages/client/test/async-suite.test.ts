import { describeAsyncStore } from '../../core/test/async/async-suite.ts'
import { overHttp } from './ways.ts'

describeAsyncStore('connect', overHttp)
