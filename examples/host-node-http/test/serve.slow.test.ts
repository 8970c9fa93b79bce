import { describeHost, describeListening, describeOrder } from '../../host-claims.ts'
import { serve } from '../serve.mjs'
import { createStore } from '../store.mjs'

const example = { serve, createStore, program: new URL('../serve.mjs', import.meta.url) }
describeHost('node-http', example)
describeListening('node-http', example)
describeOrder('node-http', example)
