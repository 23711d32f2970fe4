// Preloaded in tests: the test runner of Node follows every promise with a hook, to know the test of an uncaught error, and
// that takes a fifth of their time. Without it, such an error still fails the file, and can lack the name of its test.
import { createHook } from 'node:async_hooks'

const example = createHook({ trackPromises: false })
const withoutPromises = Object.getOwnPropertySymbols(example).find(
  ({ description }) => description === 'kNoPromiseHook',
)
const { prototype } = example.constructor
const { enable } = prototype

if (withoutPromises !== undefined) {
  prototype.enable = function () {
    this[withoutPromises] = true
    return enable.call(this)
  }
}
