#!/usr/bin/env node
const [major = 0, minor = 0] = process.versions.node.split('.').map(Number)
if (major < 20 || (major === 20 && minor < 19)) {
  console.error(`entia needs Node 20.19 or newer, and this is Node ${process.versions.node}.`)
  process.exitCode = 1
} else {
  // Node 22.1 and later cache compiled code between commands. NODE_DISABLE_COMPILE_CACHE=1 turns it
  // off.
  const { enableCompileCache } = await import('node:module')
  enableCompileCache?.()
  const { main } = await import('../dist/main.js')
  process.exitCode = await main(process.argv.slice(2))
}
