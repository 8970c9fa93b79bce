/** @type {import('jest').Config} */
module.exports = {
  // Entia is published as ECMAScript modules; the preset brings a build of it for CommonJS.
  preset: '@entia/testing/jest',
  testMatch: ['**/*.spec.js'],
}
