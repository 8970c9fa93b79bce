/** @type {import('jest').Config} */
export default {
  // Entia comes as ECMAScript modules, which jest runs as they are with `node --experimental-vm-modules`.
  transform: {},
  testMatch: ['**/*.spec.js'],
}
