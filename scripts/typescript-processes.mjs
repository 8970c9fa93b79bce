// Preloaded into programs in TypeScript, and into the processes that they fork.
import { register } from 'node:module'

register('./typescript-loader.mjs', import.meta.url)
