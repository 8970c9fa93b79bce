/** @type {import('jest').Config} */
export default {
  // Entia is published as ECMAScript modules: jest runs them with `node --experimental-vm-modules`.
  transform: {},
  testMatch: ['**/*.spec.js'],
}
